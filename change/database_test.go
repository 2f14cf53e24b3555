package change

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestDatabases(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"config/database.yml", "default: &default\n  adapter: mysql2\n  host: db\ntest:\n  <<: *default\n", []string{"mysql"}},
		{"config/database.yml", "test: {adapter: \"sqlite3\"}\nproduction:\n  adapter: postgresql # the real one\n", []string{"sqlite", "postgres"}},
		{"config/database.yml", "production:\n  url: 'trilogy://db/shop'\n", []string{"mysql"}},
		{"config/database.yml", "production:\n  url: sqlite3:db/shop.sqlite3\n", []string{"sqlite"}},
		{"config/database.yml", "production:\n  # adapter: mysql2\n  adapter: <%= ENV['ADAPTER'] %>\n  url: <%= ENV['DATABASE_URL'] %>\n", nil},
		{"config/database.yml", "production:\n  adapter: sqlserver\n", []string{"sqlserver"}},
		{"shop/settings.py", "DATABASES = {\n    'default': {\n        'ENGINE': 'django.db.backends.mysql',\n    }\n}\n", []string{"mysql"}},
		{"settings.py", "DATABASES = {}\nDATABASES['default']['ENGINE'] = \"django.contrib.gis.db.backends.postgis\"\n", []string{"postgres"}},
		{"shop/settings/base.py", "# 'ENGINE': 'django.db.backends.mysql'\nDATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3'}}\n", []string{"sqlite"}},
		{"shop/settings/base.py", "DATABASES = {'default': {'ENGINE': os.environ['ENGINE']}}\n", nil},
		{"alembic.ini", "[alembic]\nsqlalchemy.url = mysql+pymysql://root@db/shop\n", []string{"mysql"}},
		{"alembic.ini", "[alembic]\nsqlalchemy.url = driver://user:pass@localhost/dbname\n", nil},
		{"alembic.ini", "[alembic]\n# sqlalchemy.url = sqlite:///a\nsqlalchemy.url = %(address)s\n", nil},
		{"README.md", "adapter: mysql2\n", nil},
	} {
		var got []string
		for _, told := range Databases(fstest.MapFS{c.name: {Data: []byte(c.text)}}) {
			got = append(got, told.Database)
			if told.Where != c.name {
				t.Errorf("%s is told to be in %s", c.name, told.Where)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s names %q, want %q:\n%s", c.name, got, c.want, c.text)
		}
	}
}
