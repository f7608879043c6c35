/**
 * Coding agents that people sign in with. The access token of such a session is a key of the kind `session`, so that it is found, cached
 * and revoked as keys are: a session has the id of its key, and ends when the key is revoked. All codes and tokens are digests.
 */
export const agentTables = [
  // From the start in a terminal to the redemption. `session_id` is the session of the person who has confirmed, on the page of the code.
  `CREATE TABLE device_codes (
    digest TEXT PRIMARY KEY,
    user_code TEXT NOT NULL UNIQUE,
    ip TEXT,
    agent TEXT,
    device TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    polled_at BIGINT,
    interval_ms BIGINT NOT NULL,
    denied_at BIGINT,
    session_id TEXT,
    user_id TEXT,
    project TEXT,
    redeemed_at BIGINT
  )`,
  'CREATE INDEX device_codes_by_end ON device_codes (expires_at)',

  // `expires_at` moves on with every renewal. `client_id` is that of a program that uses MCP.
  `CREATE TABLE agent_sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    project TEXT NOT NULL,
    via TEXT NOT NULL,
    ip TEXT,
    agent TEXT,
    device TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    client_id TEXT
  )`,
  'CREATE INDEX agent_sessions_by_user ON agent_sessions (user_id, created_at)',
  'CREATE INDEX agent_sessions_by_end ON agent_sessions (expires_at)',

  // A token that was used stays until its end, so that a second use is noticed. `successor` is the pair of tokens that it was exchanged
  // for, encrypted with a key that only the token itself gives.
  `CREATE TABLE refresh_tokens (
    digest TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    successor TEXT
  )`,
  'CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id, created_at)',
  'CREATE INDEX refresh_tokens_by_end ON refresh_tokens (expires_at)',

  // What people have let programs do, until the program has its tokens. `issued` is the session that it has got.
  `CREATE TABLE oauth_codes (
    digest TEXT PRIMARY KEY,
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    resource TEXT NOT NULL,
    user_id TEXT NOT NULL,
    project TEXT NOT NULL,
    session_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    issued TEXT
  )`,
  'CREATE INDEX oauth_codes_by_end ON oauth_codes (expires_at)',
]
