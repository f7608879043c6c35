import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

// The wall clock may jump, so it measures nothing: it is read for moments that are shown or stored, in these files only.

const SRC = join(import.meta.dirname, '..', 'src')

/** Which file may read the wall clock, and for which moment. */
const MOMENTS: Record<string, string> = {
  'platform/blobs/partial-files.ts': 'the times of files, compared with a day',
  'platform/blobs/s3-client.ts': 'the date of a signature',
  'cli/agents/credential-file.ts': 'the age of a file that a dead process has left',
  'cli/agents/login.ts': 'when a token ends, which is stored',
  'cli/budgets/with-limits.ts': 'the end of what is simulated',
  'cli/catalog.ts': 'whether a catalog is dated in the future',
  'cli/demo.ts': 'the last moment of the month that a demo shows',
  'cli/sign-catalog.ts': 'the date of a catalog',
  'cli/doctor/check-clock.ts': 'whether the clock is right',
  'cli/doctor/check-providers.ts': 'the time in a signature',
  'cli/import/import-litellm.ts': 'whether a key has expired',
  'cli/explain.ts': 'whether a key has expired',
  'cli/keys/with-keys.ts': 'whether a key has expired',
  'cli/users/with-people.ts': 'when a user was disabled',
  'translation/engines/pool/run-wasi.ts': 'the time that a program asks for',
  'server/assemble.ts': 'the clock of the services',
  'server/open-parts.ts': 'how long the keys of an identity are valid',
  'server/open-keys.ts': 'the age of what is known about keys, after a restart of the machine',
  'http/log/log-request.ts': 'the time of a log line',
  'platform/store/clock/sqlite-clock.ts': 'how long the machine was off',
  'platform/store/sqlite-worker.ts': 'now_ms() of SQLite',
  'jobs/webhooks/deliverer.ts': 'the time in a signature',
}

/** Sums and differences with the injected wall clock that are moments nevertheless. */
const SUMS: Record<string, string> = {
  'platform/blobs/partial-files.ts': 'the age of a file',
  'cli/doctor/check-clock.ts': 'how far two clocks are apart',
  'cli/agents/credential-file.ts': 'the age of a file that a dead process has left',
  'cli/agents/login.ts': 'how long a stored token is still valid',
  'http/routes/admin/overview.ts': 'the moment after the last request',
  'jobs/batches/ask-lines.ts': 'until a budget is renewed, which is a moment of the calendar',
  'jobs/batches/submit-batch.ts': 'whether a file expires before the time of a batch is over',
  'http/routes/claude/oauth.ts': 'how long a stored token is still valid',
  'http/routes/mcp/oauth/token.ts': 'how long a stored token is still valid',
  'http/routes/v1beta/upload.ts': 'until when the token of a caller is valid, which its upload does not outlive',
  'money/managed/managed-keys.ts': 'whether a key expires a day from now or later',
  'tenants/agents/agent-sessions.ts': 'how long ago a token was used, by any process',
  'tenants/sign-in/oidc/sign-in.ts': 'until when a sealed cookie is accepted, by any process',
}

const WALL_CLOCK = /\bDate\.now\b|\bnew Date\(\)/
/** `now()` of services or of an object's clock, in a sum, a difference or a comparison that is assigned to a limit. */
const WALL_SPAN = /(?<!performance\.)\bnow\(\)\s*[-+]|[-+]\s*(?:[\w#]+\.)*(?<!performance\.)now\(\)/
/** Columns that hold the end of a wait. They are compared with and set from steady_ms(). */
const WAIT_IN_SQL =
  /(?:lease_until|next_at|deadline_at)\s*(?:=|<|>|<=|>=)\s*(?:\(SELECT )?(?:COALESCE\(\w+, )?now_ms\(\)/

test('only the listed files read the wall clock', () => {
  const found = filesWith(WALL_CLOCK)
  assert.deepEqual(found, Object.keys(MOMENTS).sort())
})

test('nothing is measured with the wall clock of the services', () => {
  assert.deepEqual(filesWith(WALL_SPAN), Object.keys(SUMS).sort())
})

test('no lease, deadline or retry is on the wall clock of the store', () => {
  assert.deepEqual(filesWith(WAIT_IN_SQL), [])
})

test('the search finds what it is for', () => {
  const bad = ['const startedAt = Date.now()', 'new Date().getTime()', 'now: Date.now,']
  for (const line of bad) assert.match(line, WALL_CLOCK)
  for (const line of [
    'until: services.now() + KEPT_MS',
    'const ms = this.#clocks.now() - startedAt',
    'x - services.now()',
    'a + now()',
  ])
    assert.match(line, WALL_SPAN)
  for (const line of [
    'until: performance.now() + 5',
    'created: Math.floor(now() / 1000)',
    'until > this.#clocks.now()',
  ])
    assert.doesNotMatch(line, WALL_SPAN)
  for (const line of [
    'lease_until = now_ms() + $3',
    'lease_until < (SELECT now_ms())',
    'deadline_at = COALESCE(deadline_at, now_ms() + $4)',
  ])
    assert.match(line, WAIT_IN_SQL)
  assert.doesNotMatch('lease_until = steady_ms() + $3, created_at = now_ms()', WAIT_IN_SQL)
})

function filesWith(pattern: RegExp): string[] {
  const files = globSync('**/*.ts', { cwd: SRC }).filter(
    (path) => !/\.test\.ts$|(?:^|\/)(?:fixtures|migrations)\//.test(path),
  )
  assert.ok(files.length > 500)
  return files.filter((path) => pattern.test(codeOf(path))).sort()
}

function codeOf(path: string): string {
  return readFileSync(join(SRC, path), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '')
}
