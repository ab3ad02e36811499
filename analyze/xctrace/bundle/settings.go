package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"howett.net/plist"
)

// Setting is one setting of an instrument with which a recording was made.
type Setting struct{ Key, Value string }

// Settings returns the instruments' settings that decide which tables of the GPU have rows. It reads them from
// form.template in a bundle, or from a .tracetemplate file. Both are property lists by NSKeyedArchiver: $objects is a
// list in which dictionaries (NS.keys and NS.objects) refer to other elements by number.
func Settings(path string) ([]Setting, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "form.template")
	}
	data, err := readSettings(path)
	if err != nil {
		return nil, err
	}
	var archive struct {
		Objects []any `plist:"$objects"`
	}
	if _, err := plist.Unmarshal(data, &archive); err != nil {
		return nil, fmt.Errorf("%s: not a property list: %w", path, err)
	}
	if len(archive.Objects) == 0 {
		return nil, fmt.Errorf("%s: %w", path, errNotArchive)
	}
	var found []Setting
	for _, object := range archive.Objects {
		found = append(found, settingsIn(object, archive.Objects)...)
	}
	slices.SortFunc(found, func(a, b Setting) int {
		return strings.Compare(a.Key+"\x00"+a.Value,
			b.Key+"\x00"+b.Value)
	})
	return slices.Compact(found), nil
}

// mostSettings is the maximum size of a template in bytes; real ones have some ten kilobytes.
const mostSettings = 16 << 20

// readSettings reads a template, if it is a regular file of reasonable size. A bundle may come from an untrusted
// source and contain a pipe or an endless file in place of the template.
func readSettings(path string) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fmt.Errorf("%s is not a regular file", path))
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, mostSettings+1))
	if err == nil && len(data) > mostSettings {
		err = fmt.Errorf("%s has more than %d MiB, so it is not a template of Instruments", path, mostSettings>>20)
	}
	return data, err
}

var errNotArchive = errors.New("a property list, but not one of NSKeyedArchiver")

// settingKeys are parts of the names of the settings that Settings returns, without separators and in lower case.
var settingKeys = []string{"shaderprofiler", "shadertimeline", "counterprofile", "counterset", "performancestate",
	"consistentstate"}

func settingsIn(object any, objects []any) []Setting {
	dictionary, ok := object.(map[string]any)
	if !ok {
		return nil
	}
	keys, _ := dictionary["NS.keys"].([]any)
	values, _ := dictionary["NS.objects"].([]any)
	var found []Setting
	for i := range min(len(keys), len(values)) {
		key, ok := resolveUID(keys[i], objects).(string)
		if !ok || !settingKey(key) {
			continue
		}
		switch value := resolveUID(values[i], objects).(type) {
		case bool, string, uint64, int64, float64:
			found = append(found, Setting{key, fmt.Sprint(value)})
		}
	}
	return found
}

func settingKey(key string) bool {
	plain := strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(key))
	for _, k := range settingKeys {
		if strings.Contains(plain, k) {
			return true
		}
	}
	return false
}

// resolveUID returns the element of objects to which v refers, or v itself if v is no reference.
func resolveUID(v any, objects []any) any {
	if uid, ok := v.(plist.UID); ok && uint64(uid) < uint64(len(objects)) {
		return objects[uid]
	}
	return v
}
