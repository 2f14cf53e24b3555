package main

import (
	"context"
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
	err := root.ExecuteContext(ctx)
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
		Args:          usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetVersionTemplate("twiceproof {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &usageError{err: err, command: cmd.CommandPath()}
	})
	root.AddCommand(replayCommand(std), schemaCommand(std), sweepCommand(std))
	return root
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
