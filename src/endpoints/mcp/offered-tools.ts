import type { AliasTable } from '../../platform/config/aliases/alias-table.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { type Caller, sightOf } from '../../tenants/access/caller.ts'
import { UPLOAD_FILE } from './file-tool.ts'
import { FIND_TOOLS, LIST_MODELS, RUN_TOOL } from './find-tools.ts'
import { CHECK_JOB } from './job-tool.ts'
import { modelTools } from './model-tools.ts'
import { type Endpoint, type OfferedTool, PREFIX } from './offered-tool.ts'
import { taskTools } from './task-tools.ts'

// Which tools a caller has, and which of them its list shows.

type OfferedTools = ReadonlyMap<string, OfferedTool>

/** What a caller sees depends on what its key may do, and few keys differ in that. */
const MAX_KEPT = 100

/** Of one configuration and one catalog: a provider that is set up brings its tools. */
type Kept = { config: CallServices['config']; catalog: CallServices['catalog']; tools: OfferedTools }

const kept = new WeakMap<AliasTable, Map<string, Kept>>()

/**
 * The tools of a caller, in an order that does not change. `mayUse` says whether its key and the policies allow an endpoint; a tool
 * that would be refused is not there.
 */
export function offeredTools(
  caller: Caller,
  services: CallServices,
  mayUse: (endpoint: Endpoint) => boolean,
): OfferedTools {
  const { policy } = caller
  const name = JSON.stringify([...sightOf(caller), policy?.endpoints, services.guardrails.enforcesFor(caller)])
  const here = kept.get(services.aliases) ?? new Map<string, Kept>()
  const { config, catalog } = services
  const known = here.get(name)
  if (known && known.config === config && known.catalog === catalog) return known.tools
  const all = [...modelTools(caller, services), UPLOAD_FILE, CHECK_JOB, LIST_MODELS, ...taskTools(caller, services)]
  const allowed = all.filter(({ endpoints }) => endpoints.every(mayUse))
  const tools = new Map([...allowed, FIND_TOOLS, RUN_TOOL].map((one) => [one.tool.name, one]))
  if (here.size >= MAX_KEPT) here.clear()
  kept.set(services.aliases, here.set(name, { config, catalog, tools }))
  return tools
}

/** Tasks that are in every list, because agents need them often. */
const USUAL_TASKS: ReadonlySet<string | undefined> = new Set(['web/search', 'web/scraping'])
/** These are in every list, whatever it is restricted to: the others are found and followed with them. */
const ALWAYS: ReadonlySet<OfferedTool> = new Set([FIND_TOOLS, RUN_TOOL, CHECK_JOB])

/**
 * The tools that a list shows. Without a choice: those of models, files and jobs, and the web; most tasks are found with find_tools.
 * A choice is `all`, or names and patterns with commas between them: `ocr/*,text/moderation,speak`.
 */
export function listedTools(tools: OfferedTools, choice: string | undefined): OfferedTool[] {
  const all = [...tools.values()]
  if (choice === 'all') return all
  if (choice === undefined || choice.trim() === '')
    return all.filter(({ task }) => task === undefined || USUAL_TASKS.has(task))
  const patterns = choice.split(',').map((one) => one.trim())
  return all.filter(
    (one) => ALWAYS.has(one) || namesOf(one).some((name) => patterns.some((pattern) => fits(name, pattern))),
  )
}

function namesOf({ tool: { name }, task }: OfferedTool): string[] {
  return [name, name.slice(PREFIX.length), ...(task === undefined ? [] : [task])]
}

function fits(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}
