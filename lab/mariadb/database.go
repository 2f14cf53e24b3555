package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// CreateDatabase makes an empty database.
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	if err := s.exec(ctx, "CREATE DATABASE "+quote(name)); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	return nil
}

// DropDatabase removes a database. A transaction that holds its tables is ended
// first, with its connection: DROP DATABASE would wait for it.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	if err := s.disconnect(ctx, name); err != nil {
		return fmt.Errorf("drop database: %w", err)
	}
	if err := s.exec(ctx, "DROP DATABASE "+quote(name)); err != nil {
		return fmt.Errorf("drop database: %w", err)
	}
	return nil
}

// disconnect ends every connection to the database. One that has ended by
// itself meanwhile is as good.
func (s *Server) disconnect(ctx context.Context, name string) error {
	db, err := s.open("")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	ids, err := connections(ctx, db, name)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := db.ExecContext(ctx, fmt.Sprintf("KILL %d", id)); err != nil && !isUnknownThread(err) {
			return err
		}
	}
	return nil
}

func connections(ctx context.Context, db *sql.DB, name string) (ids []int64, err error) {
	rows, err := db.QueryContext(ctx, "SELECT id FROM information_schema.processlist WHERE db = ?", name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (s *Server) exec(ctx context.Context, statement string) error {
	db, err := s.open("")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, statement)
	return err
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func isUnknownThread(err error) bool {
	const unknownThread = 1094
	var answer *mysql.MySQLError
	return errors.As(err, &answer) && answer.Number == unknownThread
}
