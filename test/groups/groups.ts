import { globSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** Half of the console's tests: the docs page, and screens of calls. */
const CONSOLE_CALLS = 'docs|every|keyboard|playground|request|usage'

/**
 * Which test files share a process. A folder stands for all test files in it. Files that no process names are in `operators`,
 * so a new file needs no line here.
 */
const PROCESSES = {
  // npm test: four processes that take about equally long.
  chat: ['test/e2e/{chat,formats,mcp,models,tools}', 'src/translation/!(tasks)'],
  people: ['test/e2e/{keys,people}', 'test/sign-in', 'src/{platform,tenants}'],
  calls: [
    'test/e2e/{batches,contents,files,images,jobs,ledger,limits,tasks}',
    'test/webhooks',
    'src/{calls,endpoints,jobs,money}',
    'src/translation/tasks/**/!(local*).test.ts',
  ],
  operators: [
    'test/e2e/{failures,http,operators,policies,telemetry}',
    'test/{conformance,rehearse}',
    'src/{base,cli,contract,http,server}',
  ],

  // npm run test:processes: what is typed on a terminal, processes that are killed, stores that are away.
  commands: ['test/processes/commands', '{bench/other-gateways,deploy/health-check,pack/*}.test.ts'],
  kills: ['test/processes/kills', 'test/soak'],
  stores: ['test/processes/stores'],

  // npm run test:sdks: whole SDKs as clients, and a client that is generated from the OpenAPI document.
  sdks: ['test/sdks'],

  // npm run test:hostile: callers and providers that want too much, and the worst input for every entry point.
  hostile: ['test/hostile'],
  'worst-case': ['test/worst-case'],

  // npm run test:console: the console in a real browser.
  'console-calls': [`test/console/@(${CONSOLE_CALLS})*.test.ts`],
  'console-people': [`test/console/!(@(${CONSOLE_CALLS})*).test.ts`],

  // Run by without-network.test.ts.
  local: ['src/translation/tasks/vendors/local/local*.test.ts'],
}
const ALL = ['src', 'test', 'bench/*.test.ts', 'pack/*.test.ts', 'deploy/*.test.ts']

export type ProcessName = keyof typeof PROCESSES

export const PROCESS_NAMES = Object.keys(PROCESSES) as ProcessName[]

export function filesOf(name: ProcessName): string[] {
  const own = find(PROCESSES[name])
  if (name !== 'operators') return own
  const named = new Set(Object.values(PROCESSES).flatMap(find))
  return [...own, ...find(ALL).filter((file) => !named.has(file))]
}

function find(patterns: string[]): string[] {
  const files = patterns.map((pattern) => (pattern.endsWith('.test.ts') ? pattern : `${pattern}/**/*.test.ts`))
  return globSync(files, { cwd: ROOT }).sort()
}
