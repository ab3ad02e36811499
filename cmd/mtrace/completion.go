package main

import (
	"github.com/spf13/pflag"
)

func completionCommand() command {
	return command{
		name:    "completion",
		summary: "Print what makes a shell complete commands and flags of mtrace",
		usage:   "bash|zsh|fish",
		example: "mtrace completion zsh > ~/.zfunc/_mtrace   # bash: . <(mtrace completion bash); fish: mtrace completion " +
			"fish | source",
		words: func() []string { return []string{"bash", "zsh", "fish"} },
		setup: func(*pflag.FlagSet) func(stdio, []string) error {
			return func(std stdio, args []string) error {
				if len(args) != 1 {
					return usageError("takes the name of a shell: bash, zsh or fish")
				}
				root := tree(std)
				switch args[0] {
				case "bash":
					return root.GenBashCompletionV2(std.out, true)
				case "zsh":
					return root.GenZshCompletion(std.out)
				case "fish":
					return root.GenFishCompletion(std.out, true)
				}
				return usageError("no shell %q: there are bash, zsh and fish", args[0])
			}
		},
	}
}
