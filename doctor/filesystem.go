package doctor

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// magics are the file systems between hosts, by what statfs calls them. FUSE is one:
// sshfs, s3fs and the shared folders of containers and virtual machines are made with
// it, and statfs does not tell them from others.
var magics = map[int64]string{
	0x6969: "NFS", 0x517B: "SMB", 0xFF534D42: "CIFS", 0xFE534D42: "SMB", 0x01021997: "9p", 0x65735546: "FUSE",
	0x0BD00BD0: "Lustre", 0x00C36400: "Ceph", 0x5346414F: "AFS", 0x6B414653: "AFS", 0x73757245: "Coda", 0x7461636F: "OCFS2",
	0x01161970: "GFS2", 0x564C: "NCP", 0x47504653: "GPFS", 0x786F4256: "VirtualBox's shared folder", 0xAAD7AAEA: "PanFS",
	0x61636673: "ACFS", 0x7C7C6673: "Parallels' shared folder", 0xBEEFDEAD: "StorNext", 0x19830326: "BeeGFS", 0x2BACBACB: "VMware's shared folder",
}

// types are those by the name of the mount.
var types = []string{
	"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "virtiofs", "lustre", "ceph", "afs", "coda", "ocfs2", "gfs", "gfs2", "ncpfs", "gpfs",
	"vboxsf", "vmhgfs", "prl_fs", "panfs", "acfs", "beegfs", "glusterfs", "davfs", "drvfs", "osxfs", "grpcfuse", "fakeowner",
}

// Shared says whether a file system may be mounted by several hosts, and its name. A
// file system in user space on a block device (fuseblk, such as NTFS) is local.
func Shared(fs FileSystem) (name string, shared bool) {
	kind := strings.ToLower(fs.Type)
	switch {
	case kind == "fuseblk":
		return "", false
	case slices.Contains(types, kind), strings.HasPrefix(kind, "fuse.") || kind == "fuse":
		return fs.Type, true
	}
	name, shared = magics[fs.Magic&0xFFFFFFFF]
	return name, shared
}

var octal = regexp.MustCompile(`\\[0-7]{3}`)

// MountType is the type of the file system that a path is on, by the text of
// /proc/self/mountinfo; empty when it is not there. The last mount on a folder hides
// the earlier ones.
func MountType(mountinfo, file string) (kind string) {
	longest := -1
	for line := range strings.Lines(mountinfo) {
		before, after, found := strings.Cut(line, " - ")
		fields, more := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(more) < 1 {
			continue
		}
		point := octal.ReplaceAllStringFunc(fields[4], func(code string) string {
			n, _ := strconv.ParseUint(code[1:], 8, 8)
			return string([]byte{byte(n)})
		})
		if below(point, file) && len(point) >= longest {
			longest, kind = len(point), more[0]
		}
	}
	return kind
}

func below(point, file string) bool {
	point, file = path.Clean(point), path.Clean(file)
	return point == "/" || file == point || strings.HasPrefix(file, point+"/")
}
