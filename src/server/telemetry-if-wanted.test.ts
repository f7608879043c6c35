import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { test } from 'node:test'

const SRC = resolve(import.meta.dirname, '..')
/** A type is erased, and an import in the middle of a function happens when the function runs. */
const STATIC_IMPORT = /^(?:import|export) (?!type )(?:[^'"]* from )?'(\.[^']+)'/gm

test('without a collector, nothing of tracing is loaded: no module that starts with the gateway imports it', () => {
  const loaded = new Set<string>()
  load(resolve(SRC, 'cli/main.ts'), loaded)
  load(resolve(SRC, 'server/gateway.ts'), loaded)
  const names = Array.from(loaded, (file) => relative(SRC, file))
  assert.ok(names.includes('calls/call.ts') && names.includes('platform/telemetry/metrics.ts'))
  assert.deepEqual(
    names.filter(
      (name) =>
        name.startsWith('calls/tracing/') || name.startsWith('platform/telemetry/otlp/') || name.includes('semconv'),
    ),
    [],
  )
})

function load(file: string, loaded: Set<string>): void {
  if (loaded.has(file)) return
  loaded.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(STATIC_IMPORT)) load(resolve(dirname(file), path!), loaded)
}
