package wire

// layerCalls has the rows of Table for the methods of CAMetalLayer and its drawables. nextDrawable blocks while all
// of the layer's two or three drawables are in use. After a second it returns nil, unless the layer has no timeout.
// Traces contain the numbers of the rows, so a number must never change.
var layerCalls = [...]Row{
	{437, "nextDrawable", FamilyLayer, GroupDrawable, EffectMakes, layer, made(KindDrawable), nil},
	{438, "present", FamilyDrawable, GroupOther, EffectNone, drawable, none, nil},
	{439, "presentAtTime:", FamilyDrawable, GroupOther, EffectNone, drawable, none, nil},
	{440, "presentAfterMinimumDuration:", FamilyDrawable, GroupOther, EffectNone, drawable, none, nil},
}
