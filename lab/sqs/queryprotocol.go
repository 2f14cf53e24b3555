package sqs

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"net/url"
)

// queryProtocol is the older form: Action=… as a form or in the query string,
// XML answers.
type queryProtocol struct{}

const xmlNamespace = "http://queue.amazonaws.com/doc/2012-11-05/"

func (queryProtocol) read(r *http.Request, body []byte) (string, request, *fault) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return "", request{}, malformed(err)
	}
	for name, values := range r.URL.Query() {
		form[name] = values
	}
	if form.Get("QueueUrl") == "" && r.URL.Path != "/" {
		form.Set("QueueUrl", r.URL.Path) // the request was sent to the queue's URL
	}
	name := form.Get("Action")
	if name == "" {
		return "", request{}, &fault{code: "MissingAction", status: 400, message: "The request must contain the parameter Action."}
	}
	q, refused := formRequest(name, form)
	return name, q, refused
}

type xmlAnswer struct {
	XMLName          xml.Name
	Xmlns            string `xml:"xmlns,attr"`
	Result           *xmlResult
	ResponseMetadata struct{ RequestId string }
}

type xmlResult struct {
	XMLName xml.Name
	Answer  any
}

// MarshalXML writes the answer's fields right under the result's element.
func (r *xmlResult) MarshalXML(x *xml.Encoder, _ xml.StartElement) error {
	return x.EncodeElement(r.Answer, xml.StartElement{Name: r.XMLName})
}

func (queryProtocol) answer(h http.Header, name, id string, answer any) []byte {
	h.Set("Content-Type", "text/xml")
	a := xmlAnswer{XMLName: xml.Name{Local: name + "Response"}, Xmlns: xmlNamespace}
	if _, empty := answer.(nothing); !empty {
		a.Result = &xmlResult{XMLName: xml.Name{Local: name + "Result"}, Answer: answer}
	}
	a.ResponseMetadata.RequestId = id
	return document(a)
}

func (queryProtocol) refuse(h http.Header, id string, err *fault) []byte {
	h.Set("Content-Type", "text/xml")
	var a struct {
		XMLName xml.Name `xml:"ErrorResponse"`
		Xmlns   string   `xml:"xmlns,attr"`
		Error   struct {
			Type, Code, Message string
			Detail              struct{}
		}
		RequestId string
	}
	a.Xmlns, a.RequestId = xmlNamespace, id
	a.Error.Type, a.Error.Code, a.Error.Message = "Sender", err.code, err.message
	if err.code == simple+"NonExistentQueue" {
		a.Error.Message = "The specified queue does not exist for this wsdl version." // only this protocol says so
	}
	return document(a)
}

func document(a any) []byte {
	b := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(b).Encode(a); err != nil {
		panic(err) // strings, numbers and maps of them: cannot fail
	}
	return b.Bytes()
}
