import type { Migration } from '../migration.ts'

/**
 * Sign-in with an identity provider: what may be used only once (the answer of a provider, a token that ends sessions), which
 * session of the provider a session of ours belongs to, and identities that wait for an admin because the provider does not
 * say whether their e-mail address is theirs. Who may sign in with a password for a while although only providers may be used.
 * The indexes find the last change of a project and of a user.
 */
export const migration: Migration = {
  statements: [
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
    'CREATE TABLE password_passes (user_id TEXT PRIMARY KEY, expires_at BIGINT NOT NULL)',
    'CREATE INDEX projects_by_change ON projects (updated_at)',
    'CREATE INDEX users_by_change ON users (updated_at)',
  ],
}
