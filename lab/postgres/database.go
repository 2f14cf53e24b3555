package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// CreateDatabase makes a database as a copy of the template, which nobody may
// be connected to meanwhile. An empty template makes an empty database.
func (s *Server) CreateDatabase(ctx context.Context, name, template string) error {
	if template == "" {
		template = "template0"
	}
	statement := "CREATE DATABASE " + quote(name) + " TEMPLATE " + quote(template)
	if err := s.exec(ctx, statement); err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	return nil
}

// DropDatabase removes a database, and first ends every connection to it.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	if err := s.exec(ctx, "DROP DATABASE "+quote(name)+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop database: %w", err)
	}
	return nil
}

func (s *Server) exec(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.DSN("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
