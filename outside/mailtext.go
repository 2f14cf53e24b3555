package outside

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/textproto"
	"strings"
)

// bodyText is the text of all text parts, decoded, one after the other. A part
// that cannot be read is left out.
func bodyText(header textproto.MIMEHeader, body []byte) string {
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		kind = "text/plain" // RFC 2045, 5.2
	}
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		return partsText(body, params["boundary"])
	case strings.HasPrefix(kind, "text/"):
		text, _ := io.ReadAll(decoded(header.Get("Content-Transfer-Encoding"), body)) // as much as can be read
		return string(text)
	}
	return ""
}

func partsText(body []byte, boundary string) string {
	all := ""
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextRawPart()
		if err != nil {
			return all
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return all
		}
		all += bodyText(part.Header, text) + "\n"
	}
}

func decoded(encoding string, body []byte) io.Reader {
	switch r := bytes.NewReader(body); strings.ToLower(encoding) {
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, r) // it skips line ends
	case "quoted-printable":
		return quotedprintable.NewReader(r)
	default:
		return r
	}
}
