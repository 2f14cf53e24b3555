package source

import (
	"encoding/csv"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzCSV holds the splitter against encoding/csv, whose rules it keeps: the same rows,
// the same ones refused. A quote that is never closed ends it with an error instead.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a,b\r\n1,2\r\n\r\n\n3,4", "a\rb,c\r", "\"a\",\"b\"\n\"1\"\"2\",\"\n\"\n", "1,\"a\r\nb\",3\n", "1,\"a\" b,3\n2,c\n", "1,a \"b\" c,3\n2,c\n",
		"a,\"b\n1,2\n3,\"4\n5,6\n", "\"\"\n", "\"\",\n", ",\n", "\n", "\"a\"\r\n", "\"a\"\r", "1,\"a\"\"", "1,\"a\rb\"\rc\n", "x\x00y,\xff\n", "\"\"\"\"\"\"\n", "é,\"é\"\"\"\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(sameRows)
}

func sameRows(t *testing.T, text string) {
	r := csvRows{file: &File{Name: "it"}, blocks: blocks{Reader: strings.NewReader(text)}, splitter: splitter{comma: ',', most: math.MaxInt}}
	want := csv.NewReader(strings.NewReader(text))
	want.FieldsPerRecord = -1
	for n := 1; ; n++ {
		_, end, err := r.next()
		if err != nil && strings.ContainsRune(text, 0) { // text is all that is read
			return
		}
		row, wantErr := want.Read()
		var parse *csv.ParseError
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			if !errors.As(wantErr, &parse) || !errors.Is(parse.Err, csv.ErrQuote) {
				t.Fatalf("row %d is %q, %v: %v", n, row, wantErr, err)
			}
			return
		case errors.Is(wantErr, io.EOF) != errors.Is(err, io.EOF), errors.As(wantErr, &parse) != (end == unsound):
			t.Fatalf("row %d is %q, %v: %q, %v", n, row, wantErr, r.fields, err)
		case err != nil:
			return
		case end != unsound && !slices.Equal(row, r.fields):
			t.Fatalf("row %d is %q: %q", n, row, r.fields)
		}
	}
}

// Rows that lie across the ends of blocks, rows that are longer than some blocks, and
// rows with every kind of mistake.
func TestCSVAcrossBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	words := []string{"a", "order-17", "", ",", "\n", "\r\n", `""`, `"x"`, `"x,` + "\n" + `y"`, `"` + strings.Repeat("long\n", 9000) + `"`, strings.Repeat("z", 70_000)}
	var text strings.Builder
	for text.Len() < 12*oneBlock {
		n := len(words)
		if random.IntN(300) > 0 {
			n -= 2
		}
		text.WriteString(words[random.IntN(n)])
		if random.IntN(5000) == 0 {
			text.WriteString(`"stray`)
		}
		text.WriteString([]string{",", ",", ",", "\n"}[random.IntN(4)])
	}
	text.WriteString("\n\"\",\"\"\n")
	sameRows(t, text.String())
	sameRows(t, `"`+strings.Repeat("a long row\n", oneBlock/4)+"\",b\nc,d\n")
}

// However little each read gives, the blocks are the source.
func TestBlocks(t *testing.T) {
	text := strings.Repeat("0123456789\n", 5*oneBlock/11)
	b, got, piece := blocks{Reader: iotest.HalfReader(iotest.DataErrReader(strings.NewReader(text)))}, strings.Builder{}, ""
	for used := 0; !b.end; {
		var err error
		if piece, err = b.next(piece, used); err != nil {
			t.Fatal(err)
		}
		used = len(piece) / 3
		got.WriteString(piece[:used])
	}
	if got.String()+piece[len(piece)/3:] != text {
		t.Error("they are not")
	}
}
