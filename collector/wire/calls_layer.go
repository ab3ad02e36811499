package wire

// layerCalls are the methods of CAMetalLayer and its drawables. nextDrawable waits until one of the layer's two or
// three drawables is free. It waits for at most a second, unless the layer has no timeout, and then returns nil.
var layerCalls = [...]Row{
	{437, "nextDrawable", FamilyLayer, GroupDrawable, EffectMakes, layer, made(KindDrawable), nil},
	{438, "present", FamilyDrawable, GroupOther, EffectNone, drawable, none, nil},
	{439, "presentAtTime:", FamilyDrawable, GroupOther, EffectNone, drawable, none, nil},
	{440, "presentAfterMinimumDuration:", FamilyDrawable, GroupOther, EffectNone, drawable, none, nil},
}
