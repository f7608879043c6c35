import type { Migration } from '../migration.ts'

/**
 * Who may use the admin side. A role is held on the whole organization (`project` is NULL) or on one project. Secrets are
 * stored as digests, and passwords as PHC strings. A service account is a user that cannot sign in; it has admin tokens.
 */
export const migration: Migration = {
  statements: [
    `CREATE TABLE users (
      id TEXT PRIMARY KEY,
      organization TEXT NOT NULL,
      email TEXT UNIQUE,
      name TEXT NOT NULL,
      kind TEXT NOT NULL,
      password TEXT,
      issuer TEXT,
      subject TEXT,
      imported_from TEXT,
      disabled_at BIGINT,
      last_seen_at BIGINT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE (issuer, subject)
    )`,
    'CREATE INDEX users_by_creation ON users (created_at, id)',
    `CREATE TABLE members (
      id TEXT PRIMARY KEY,
      organization TEXT NOT NULL,
      project TEXT,
      user_id TEXT NOT NULL,
      role TEXT NOT NULL,
      source TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL
    )`,
    `CREATE UNIQUE INDEX members_once ON members (user_id, organization, COALESCE(project, ''))`,
    'CREATE INDEX members_by_creation ON members (created_at, id)',
    'CREATE INDEX members_by_project ON members (project, created_at)',
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      user_id TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      idle_at BIGINT NOT NULL,
      ip TEXT,
      agent TEXT,
      via TEXT NOT NULL
    )`,
    'CREATE INDEX sessions_by_user ON sessions (user_id, created_at)',
    'CREATE INDEX sessions_by_end ON sessions (expires_at)',
    `CREATE TABLE invitations (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      organization TEXT NOT NULL,
      project TEXT,
      role TEXT NOT NULL,
      email TEXT,
      invited_by TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      used_at BIGINT,
      used_by TEXT
    )`,
    'CREATE INDEX invitations_by_creation ON invitations (created_at, id)',
    `CREATE TABLE admin_tokens (
      id TEXT PRIMARY KEY,
      digest TEXT NOT NULL UNIQUE,
      user_id TEXT NOT NULL,
      name TEXT NOT NULL,
      last4 TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      revoked_at BIGINT,
      last_used_at BIGINT
    )`,
    'CREATE INDEX admin_tokens_by_user ON admin_tokens (user_id, created_at)',
    `CREATE TABLE sign_in_limits (
      name TEXT PRIMARY KEY,
      free_at BIGINT NOT NULL
    )`,
    'CREATE INDEX sign_in_limits_by_time ON sign_in_limits (free_at)',
  ],
}
