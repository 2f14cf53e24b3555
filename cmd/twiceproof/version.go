package main

import "runtime/debug"

// version is that of the module, as the go command stamped it; for a build that has
// none, the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	switch {
	case commit == "":
		return "(devel)"
	case settings["vcs.modified"] == "true":
		return "(devel) " + commit + " with changes"
	}
	return "(devel) " + commit
}
