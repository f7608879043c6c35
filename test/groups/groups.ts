import { globSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

/**
 * Which test files share a process, together with the other groups of a `*.group.ts`. Files that no line names are in `rest`,
 * so a new file needs no line here. Groups in a folder of their own have a command of their own: `npm run test:sdks`, `npm run
 * test:processes`, `npm run test:hostile` and `npm run test:console`.
 */
const NAMED = {
  /** What providers answer: streams that break, odd and lost parts, names and fields that are governed. */
  answers: [
    'test/e2e/{compressed,context,cost,governed,late,long,lost,odd,retries,regions,stream}*.test.ts',
    'test/*-{conformance,pieces,work}.test.ts',
  ],
  chat: [
    'test/e2e/chat*.test.ts',
    'test/e2e/{circuits,credentials,fallbacks,resume,scorecard}*.test.ts',
    'test/rehearse/*.test.ts',
  ],
  dialects: ['src/{dialects,formats,json,tokens}/**/*.test.ts'],
  features: ['src/{hooks,tasks}/**/!(local*).test.ts', 'test/webhooks/!(snippets*).test.ts'],
  /** Other ways in: responses, Gemini, Cohere, completions, paths of other gateways, the OpenAPI documents. */
  formats: [
    'test/e2e/background-responses!(*-killed).test.ts',
    'test/e2e/{claude,cohere,completions,conversations,embeddings,foreign,format,gemini,messages,native}!(-sdk).test.ts',
    'test/e2e/{openai,other,paths,provider,rerank,responses}!(-sdk).test.ts',
    'test/conformance/*.test.ts',
  ],
  net: ['src/{http,net}/**/*.test.ts'],
  /** What operators see and change: alerts, contents, organizations, the request log, telemetry. */
  operators: [
    'test/e2e/{alerts,aliases,catalog,contents,docs,import,lists,live,members,model-,moved,organization,playground}*.test.ts',
    'test/e2e/{policies,request,shared,telemetry}*.test.ts',
    'test/e2e/stored!(-space).test.ts',
    'src/{alerts,import}/**/*.test.ts',
  ],
  /** Who may do what, and how much: sign-in, roles, audit, projects, limits. */
  people: [
    'test/e2e/{audit,jwt,projects,roles}*.test.ts',
    'test/e2e/limits!(-leaving|-processes|-sdks).test.ts',
    'test/e2e/people!(-processes).test.ts',
    'test/sign-in/*.test.ts',
    'src/{audit,jwt,limits,people,projects,sign-in}/**/*.test.ts',
  ],
  /** Of `test:processes`: what is typed on a terminal, and how a process starts, ends and answers signals. */
  commands: [
    'test/e2e/{backup,cli,cli-init,console-unbuilt,demo,edge,loaded-modules,platforms,process,quick-start,readme,shutdown,signals,terminal,two-processes}.test.ts',
    'test/without-network.test.ts',
    'test/webhooks/snippets*.test.ts',
    '{bench/other-gateways,deploy/health-check,pack/*}.test.ts',
  ],
  /** Of `test:processes`: processes that are killed and replaced, clocks that jump, large ledgers. */
  kills: ['test/e2e/{background-responses-killed,clock-jumps,jobs-once,workers}.test.ts', 'test/soak/*.test.ts'],
  /** Of `test:processes`: replicas, stores that are away, a pooler in front of the store. */
  stores: [
    'test/e2e/{limits-processes,people-processes,pgbouncer,replicas,slow-migration,start-without-store,store-down,store-down-limits,stored-space}.test.ts',
  ],
  /** Of `test:sdks`: whole SDKs as clients, and a client that is generated from the OpenAPI document. */
  sdks: [
    'test/e2e/{audio,count-tokens,sdk-ai,sdk-openai}.test.ts',
    'test/e2e/*-sdk{,s}.test.ts',
    'test/clients/typescript-client.test.ts',
  ],
  storage: ['src/{access,blobs,jobs,replicas,secrets,store,webhooks}/**/*.test.ts'],
  surface: [
    'test/e2e/images!(-memory).test.ts',
    'test/e2e/{admin,auth,info,keys,ledger,metrics,models,secrets,surface,usage}*.test.ts',
  ],
  tasks: [
    'test/e2e/jobs!(-once).test.ts',
    'test/e2e/{universal,uploads,webhooks}*.test.ts',
    'src/engines/**/*.test.ts',
  ],
  /** Of `test:hostile`: callers and providers that want too much. */
  limits: [
    'test/e2e/{fairness,hostile,memory}*.test.ts',
    'test/e2e/{answer-ends,content-types,images-memory,limits-leaving}.test.ts',
  ],
  /** Of `test:hostile`: the worst input for every entry point. */
  'worst-case': ['test/worst-case/*.test.ts'],
  /** Of `test:console`: the console in a real browser. */
  console: ['test/console/*.test.ts'],
  /** Run by without-network.test.ts. */
  local: ['src/tasks/vendors/local/local*.test.ts'],
}
const ALL = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/*.test.ts', 'pack/*.test.ts', 'deploy/*.test.ts']

export type GroupName = keyof typeof NAMED | 'rest'

export const GROUPS = [...Object.keys(NAMED), 'rest'] as GroupName[]

export function filesOf(name: GroupName): string[] {
  if (name !== 'rest') return find(NAMED[name])
  const named = new Set(Object.values(NAMED).flatMap(find))
  return find(ALL).filter((file) => !named.has(file))
}

function find(patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT }).sort()
}
