// Files, conversations, collections, and what projects keep of their calls. Jobs and webhooks are in jobs.ts.

export const contentTables = [
  `CREATE TABLE files (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    end_user TEXT,
    name TEXT NOT NULL,
    size BIGINT NOT NULL,
    type TEXT NOT NULL,
    purpose TEXT NOT NULL,
    metadata TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('upload', 'result')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX files_by_owner ON files (owner, created_at, id)',
  'CREATE INDEX files_stored ON files (owner, expires_at, size)',
  'CREATE INDEX files_by_end_user ON files (end_user, owner) WHERE end_user IS NOT NULL',
  'CREATE INDEX files_by_expiry ON files (expires_at)',

  // Conversations of the responses format.
  `CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    end_user TEXT,
    metadata TEXT NOT NULL,
    items BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    last_append TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX conversations_stored ON conversations (owner, expires_at, bytes)',
  'CREATE INDEX conversations_by_end_user ON conversations (end_user, owner) WHERE end_user IS NOT NULL',
  'CREATE INDEX conversations_by_expiry ON conversations (expires_at)',
  `CREATE TABLE conversation_items (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    id TEXT NOT NULL,
    item TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    PRIMARY KEY (conversation_id, position)
  )`,
  'CREATE UNIQUE INDEX conversation_items_by_id ON conversation_items (conversation_id, id)',

  // Whose a collection is and what is in it, because a provider's own list does not know our callers.
  `CREATE TABLE collections (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    provider TEXT NOT NULL,
    name TEXT,
    created_at BIGINT NOT NULL
  )`,
  'CREATE INDEX collections_by_owner ON collections (owner, kind, created_at, id)',
  `CREATE TABLE collection_items (
    collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (collection_id, id)
  )`,

  // What projects keep of the content of calls. The bytes are in blobs, encrypted with a secret of the project.
  `CREATE TABLE contents (
    id TEXT PRIMARY KEY,
    call_id TEXT NOT NULL,
    project TEXT NOT NULL,
    user_id TEXT,
    end_user TEXT,
    mode TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  'CREATE INDEX contents_by_call ON contents (call_id)',
  'CREATE INDEX contents_by_project ON contents (project, end_user)',
  'CREATE INDEX contents_by_expiry ON contents (expires_at)',
]
