package main

import (
	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
)

func completionCommand() cli.Command {
	return cli.Command{
		Name:    "completion",
		Summary: "Generate a shell completion script",
		Usage:   "bash|zsh|fish",
		Example: "mtrace completion zsh > ~/.zfunc/_mtrace   # bash: . " +
			"<(mtrace completion bash); fish: mtrace completion fish | source",
		Arguments: func() []string { return []string{"bash", "zsh", "fish"} },
		Setup: func(*pflag.FlagSet) func(cli.Stdio, []string) error {
			return func(std cli.Stdio, args []string) error {
				if len(args) != 1 {
					return cli.UsageError("give one shell: mtrace completion bash, zsh or fish")
				}
				root := tree(std)
				switch args[0] {
				case "bash":
					return root.GenBashCompletionV2(std.Out, true)
				case "zsh":
					return root.GenZshCompletion(std.Out)
				case "fish":
					return root.GenFishCompletion(std.Out, true)
				}
				return cli.UsageError("unknown shell %q: give bash, zsh or fish", args[0])
			}
		},
	}
}
