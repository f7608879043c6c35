import { globSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/** Which files share a process. What no line names is in `pure`: a new file needs no line here. */
const NAMED = {
  chat: ['test/e2e/{chat,circuits,credentials,fallbacks,resume,scorecard}*.test.ts', 'test/rehearse/*.test.ts'],
  features: [
    'src/features/!(local*).test.ts',
    'src/features/*/**/*.test.ts',
    'test/webhooks/*.test.ts',
    'src/net/**/*.test.ts',
  ],
  processes: ['test/e2e/{cli,process,shutdown,store-down,two-processes,workers}.test.ts', 'test/soak/*.test.ts'],
  sdks: ['test/e2e/{dialect-sdks,sdk-ai,sdk-openai,messages-sdk,responses-sdk,count-tokens,audio}.test.ts'],
  storage: ['src/{blobs,jobs}/*.test.ts', 'src/store/!(packed-values).test.ts', 'src/webhooks/deliverer.test.ts'],
  surface: ['test/e2e/{auth,images,info,keys,ledger,metrics,models,secrets,surface,usage}*.test.ts'],
  tasks: ['test/e2e/{jobs,universal,uploads,webhooks}*.test.ts'],
  'worst-case': ['test/worst-case/*.test.ts', 'test/e2e/{fairness,hostile,memory}*.test.ts'],
  'without-network': ['src/engines/**/*.test.ts', 'src/features/local*.test.ts'],
}
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/*.test.ts']

export type GroupName = keyof typeof NAMED | 'pure'

export function filesOf(name: GroupName): string[] {
  if (name !== 'pure') return find(NAMED[name])
  const named = new Set(Object.values(NAMED).flatMap(find))
  return find(ALL).filter((file) => !named.has(file))
}

function find(patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT }).sort()
}
