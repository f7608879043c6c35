// What the processes of one installation share.

export const installationTables = [
  // Values on which all processes must agree.
  'CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)',

  // Work that only one process at a time may do.
  'CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until BIGINT NOT NULL)',

  // Encrypted. The fingerprint is that of the key that encrypts.
  `CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    sealed TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    version BIGINT NOT NULL
  )`,

  // A row for each running process. It counts its beats, and others watch whether the number changes, so clocks are not compared.
  // How many ledger lines it has not written yet is known to the process only.
  `CREATE TABLE processes (
    id TEXT PRIMARY KEY,
    number BIGINT NOT NULL,
    role TEXT NOT NULL,
    blobs TEXT NOT NULL,
    webhook_key TEXT NOT NULL,
    beats BIGINT NOT NULL,
    learned_number BIGINT NOT NULL,
    learned TEXT NOT NULL,
    config TEXT NOT NULL DEFAULT '',
    ledger_waiting BIGINT NOT NULL
  )`,

  // Aliases of the admin API. The number of their version grows with every change, so that a process has to read only that number to
  // learn that nothing has changed.
  `CREATE TABLE aliases (
    name TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  'CREATE TABLE alias_versions (version BIGINT NOT NULL)',
  'INSERT INTO alias_versions (version) VALUES (0)',

  // Credentials at providers that operators manage while the gateway runs. The values are among the secrets.
  `CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    name TEXT NOT NULL,
    weight BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (provider, name)
  )`,

  // MCP servers of the admin API. Their credentials are among the secrets.
  `CREATE TABLE mcp_servers (
    name TEXT PRIMARY KEY,
    settings TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,

  // The catalog of models that replaces the one in the package, with its signature.
  `CREATE TABLE catalogs (
    name TEXT PRIMARY KEY,
    dated_at BIGINT NOT NULL,
    digest TEXT NOT NULL,
    content TEXT NOT NULL
  )`,
]
