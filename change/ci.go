package change

import (
	"io/fs"
	"path"
	"strings"
)

// ci is an entry that replays the new code: as a workflow where the repository has those of
// GitHub, or else as a text to include. GitHub reads workflows at the top of the git
// repository only, so the names have the folder in them: each may have an entry.
func ci(repository fs.FS, folder string) File {
	const what = "replays the new code in CI"
	f := filling{Folder: folder}
	if has(repository, ".gitlab-ci.yml") {
		name := path.Join(folder, "twiceproof/gitlab-ci.yml")
		return File{name, fill("gitlab.yml.tmpl", f), what + "; include it in .gitlab-ci.yml"}
	}
	name := strings.ReplaceAll(path.Join("twiceproof", folder), "/", "-")
	return File{".github/workflows/" + name + ".yml", fill("github.yml.tmpl", f), what}
}
