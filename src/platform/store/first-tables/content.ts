import { byOwnerId, OF_PROJECT, OWNER } from './owner-columns.ts'

// Files, conversations, collections, and what projects keep of their calls. Jobs and webhooks are in jobs.ts.

export const contentTables = [
  `CREATE TABLE files (
    id TEXT PRIMARY KEY,
    ${OWNER},
    end_user TEXT,
    name TEXT NOT NULL,
    size BIGINT NOT NULL,
    type TEXT NOT NULL,
    -- Of the bytes, as hexadecimal digits. An upload in parts has none.
    sha256 TEXT,
    purpose TEXT NOT NULL,
    metadata TEXT NOT NULL,
    -- Of a part: the upload that it belongs to.
    upload_id TEXT,
    origin TEXT NOT NULL CHECK (origin IN ('upload', 'result', 'open', 'part')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ${OF_PROJECT}
  )`,
  'CREATE INDEX files_by_owner ON files (owner, created_at, id)',
  'CREATE INDEX files_stored ON files (owner, expires_at, size)',
  'CREATE INDEX files_by_project ON files (project, end_user)',
  byOwnerId('files'),
  'CREATE INDEX files_by_expiry ON files (expires_at)',
  'CREATE INDEX files_by_upload ON files (upload_id)',

  // Conversations of the responses format.
  `CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    ${OWNER},
    end_user TEXT,
    metadata TEXT NOT NULL,
    items BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    next_position BIGINT NOT NULL,
    last_append TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ${OF_PROJECT}
  )`,
  'CREATE INDEX conversations_stored ON conversations (owner, expires_at, bytes)',
  'CREATE INDEX conversations_by_project ON conversations (project, end_user)',
  byOwnerId('conversations'),
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
    ${OWNER},
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    provider TEXT NOT NULL,
    name TEXT,
    created_at BIGINT NOT NULL,
    ${OF_PROJECT}
  )`,
  'CREATE INDEX collections_by_owner ON collections (owner, kind, created_at, id)',
  'CREATE INDEX collections_by_project ON collections (project)',
  byOwnerId('collections'),
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
    ${OWNER},
    user_id TEXT,
    end_user TEXT,
    mode TEXT NOT NULL CHECK (mode IN ('redacted', 'full')),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ${OF_PROJECT}
  )`,
  'CREATE INDEX contents_by_call ON contents (call_id)',
  'CREATE INDEX contents_by_project ON contents (project, end_user)',
  'CREATE INDEX contents_newest ON contents (project, created_at)',
  byOwnerId('contents'),
  'CREATE INDEX contents_by_expiry ON contents (expires_at)',
]
