/**
 * Who may use the admin side. A role is held on the whole organization (`project` is NULL) or on one project. Secrets are stored as
 * digests, and passwords as PHC strings. A service account is a user that cannot sign in; it has admin tokens.
 */
export const peopleTables = [
  `CREATE TABLE users (
    id TEXT PRIMARY KEY,
    organization TEXT NOT NULL,
    email TEXT UNIQUE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'service')),
    password TEXT,
    issuer TEXT,
    subject TEXT,
    imported_from TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    disabled_at BIGINT,
    last_seen_at BIGINT,
    UNIQUE (issuer, subject)
  )`,
  'CREATE INDEX users_by_creation ON users (created_at, id)',
  'CREATE INDEX users_by_change ON users (updated_at)',

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
    listener TEXT NOT NULL CHECK (listener IN ('admin', 'api')),
    via TEXT NOT NULL,
    ip TEXT,
    agent TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    idle_at BIGINT NOT NULL
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

  // Links with which people open accounts that exist and have no way in yet, such as those of an import.
  `CREATE TABLE account_links (
    user_id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    made_by TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,

  // With scopes, it is a management key, which is used on the API and not on the admin listener.
  `CREATE TABLE admin_tokens (
    id TEXT PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    scopes TEXT,
    last4 TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT
  )`,
  'CREATE INDEX admin_tokens_by_user ON admin_tokens (user_id, created_at)',

  'CREATE TABLE sign_in_limits (name TEXT PRIMARY KEY, free_at BIGINT NOT NULL)',
  'CREATE INDEX sign_in_limits_by_time ON sign_in_limits (free_at)',

  // Sign-in with an identity provider: what may be used only once (its answer, a token that ends sessions), which of its sessions a
  // session belongs to, and identities that wait for an admin because the provider does not say whether their e-mail address is theirs.
  'CREATE TABLE spent_tokens (digest TEXT PRIMARY KEY, expires_at BIGINT NOT NULL)',
  'CREATE INDEX spent_tokens_by_end ON spent_tokens (expires_at)',
  `CREATE TABLE sso_sessions (
    session_id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    sid TEXT
  )`,
  'CREATE INDEX sso_sessions_by_subject ON sso_sessions (issuer, subject)',
  'CREATE INDEX sso_sessions_by_sid ON sso_sessions (issuer, sid)',
  `CREATE TABLE identity_links (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    confirmed_at BIGINT,
    UNIQUE (issuer, subject)
  )`,
  'CREATE INDEX identity_links_by_creation ON identity_links (created_at, id)',
  // Who may sign in with a password for a while although only providers may be used.
  'CREATE TABLE password_passes (user_id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL)',
]
