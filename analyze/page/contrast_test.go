package page

import (
	"bytes"
	"errors"
	"testing"

	"mtrace/fixtures/consumers"
)

// faint finds the texts of a page with too little contrast to their background, by WCAG 2: 4.5, and 3 for large
// letters.
const faint = `document.querySelectorAll("details").forEach((d) => d.open = true);
	const parts = (text) => { const n = text.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
	const canvas = document.createElement("div");
	canvas.style.background = "Canvas";
	document.body.append(canvas);
	const paper = parts(getComputedStyle(canvas).backgroundColor);
	const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
	const behind = (e) => {
		const own = parts(getComputedStyle(e).backgroundColor);
		return own[3] === 1 ? own : over(own, e.parentElement ? behind(e.parentElement) : paper);
	};
	const light = (c) => c.slice(0, 3).map((x) => x / 255)
		.map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)
		.reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
	const said = {looked: 0, faint: [], dark: light(paper) < 0.2};
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let node; (node = walk.nextNode());) {
		const e = node.parentElement, style = getComputedStyle(e), size = parseFloat(style.fontSize);
		if (!node.textContent.trim() || ["SCRIPT", "STYLE"].includes(e.tagName) || e.getClientRects().length === 0) continue;
		const on = behind(e), a = light(over(parts(style.color), on)), b = light(on);
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		said.looked++;
		if (ratio < (size >= 24 || size >= 18.66 && style.fontWeight >= 700 ? 3 : 4.5))
			said.faint.push(ratio.toFixed(2) + " " + e.tagName + " " + node.textContent.trim().slice(0, 40));
	}
	return said;`

// TestContrast: all text can be read, on light and on dark paper.
func TestContrast(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	var sweep, compared bytes.Buffer
	err := errors.Join(WriteSweep(&sweep, sweptDocument(t)), WriteDiff(&compared, comparedDocument(), nil))
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string][]byte{"demo": demoPage(t),
		"failed": modelPage(t, failing("of a test")), "sweep": sweep.Bytes(), "diff": compared.Bytes()} {
		for _, dark := range []bool{false, true} {
			l := lookIn(t, page, consumers.Window{Width: 1280, Height: 900, Dark: dark}, faint)
			if list := l.said["faint"].([]any); len(list) > 0 || l.said["looked"].(float64) < 20 || l.said["dark"] != dark {
				t.Errorf("%s, dark %v: %d texts, dark %v, and hard to read are %q", name, dark, int(l.said["looked"].(float64)),
					l.said["dark"], list)
			}
		}
	}
}
