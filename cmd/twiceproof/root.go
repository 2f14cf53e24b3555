package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// run is the whole command; it returns the exit status.
func run(ctx context.Context, args []string, std stdio) int {
	root := rootCommand(std) //nolint:contextcheck // each command takes the context from ExecuteContext
	root.SetArgs(args)
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	wrong := unknownWord(root)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = *wrong
	}
	return tell(ctx, std.err, err)
}

func rootCommand(std stdio) *cobra.Command {
	root := &cobra.Command{
		Use:   "twiceproof",
		Short: "Make one background job safe to run twice, and prove it",
		Long: `Make one background job safe to run twice, and prove it.

Exit status: 0 good, 1 something was found, 2 usage or environment,
3 it could not be told, 130 interrupted.`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return soundFlags(cmd.Flags()) },
	}
	root.SetVersionTemplate("twiceproof {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(replayCommand(std), judgeCommand(std), schemaCommand(std), sweepCommand(std), statusCommand(std), heldCommand(std), resolveCommand(std), pruneCommand(std), fitCommand(std), repeatsCommand(std), noteCommand(std), doctorCommand(std), initCommand(std))
	for _, cmd := range root.Commands() {
		countFlags(cmd.Flags())
	}
	return root
}

// knownCommand: what the root gets is no command.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	root.SuggestionsMinimumDistance = 2
	near := root.SuggestionsFor(args[0])
	if args[0] == "version" {
		near = []string{root.CommandPath() + " --version"}
	}
	return &usageError{
		err: fmt.Errorf("unknown command %q for %q", args[0], root.CommandPath()), command: root.CommandPath(), near: near,
	}
}

// unknownWord makes an unknown command an error also where help is asked for, which
// would hide it: a script that asks whether a command is there reads the status.
func unknownWord(root *cobra.Command) *error {
	var wrong error
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, words []string) {
		if wrong = nil; cmd == root {
			wrong = knownCommand(root, cmd.Flags().Args())
		}
		if wrong == nil {
			help(cmd, words)
		}
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command]", Short: "Help about a command",
		RunE: func(_ *cobra.Command, words []string) error {
			cmd, rest, err := root.Find(words)
			if err != nil || cmd == root {
				if wrong := knownCommand(root, rest); wrong != nil {
					return wrong
				}
			}
			return cmd.Help()
		},
	})
	return &wrong
}

// usageArgs makes a wrong argument a usage error of its command.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err: err, command: cmd.CommandPath()}
		}
		return nil
	}
}
