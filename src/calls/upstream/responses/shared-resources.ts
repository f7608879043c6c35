import { cannotTake } from '../../../translation/dialects/cannot-take.ts'
import { type Fields, isRecord, listOf, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import type { AskedChat } from '../native-codec.ts'

// Vector stores, files and containers of a provider are in the operator's account, which all callers share, and nothing says
// whose they are. So a caller cannot name one.

/** Throws if a tool of the caller names something in the operator's account. */
export function refuseSharedResources({ request, native }: AskedChat): void {
  const lists = [native ? native.body.tools : request.tools, request.extra_body?.tools]
  for (const tools of lists)
    recordsIn(tools).forEach((tool, index) => {
      const member = namedIn(tool)
      if (member) throw cannotTake(['tools', index, ...member.split('.')], sentenceAbout(tool))
    })
}

/** Members of tools that name something, whatever the tool is called: providers add tools, and copy those of others. */
const LISTS = ['vector_store_ids', 'collection_ids', 'file_ids']
/** Gemini's tools have no type. All of their members that search in a store name the store. */
const SEARCHES = ['fileSearch', 'file_search', 'retrieval']

const NAMING: ReadonlySet<string> = new Set([...LISTS, ...SEARCHES, 'container', 'environment'])

/** Tools have few members, and most have none of these: looking at each once is cheaper than asking for all of these. */
function mayName(tool: Fields): boolean {
  for (const name in tool) if (NAMING.has(name)) return true
  return false
}

/** The member that names something. `container: {"type": "auto"}` makes a container for this call. */
function namedIn(tool: Fields): string | undefined {
  if (!mayName(tool)) return undefined
  const list = LISTS.find((name) => listOf(tool[name]).length > 0)
  const search = SEARCHES.find((name) => tool.type === undefined && isRecord(tool[name]))
  if (list ?? search) return list ?? search
  if (typeof tool.container === 'string') return 'container'
  return sharedIn('container', tool) ?? sharedIn('environment', tool)
}

/** Where a tool runs. */
function sharedIn(name: string, tool: Fields): string | undefined {
  const environment = recordOf(tool[name])
  if (environment.container_id !== undefined) return `${name}.container_id`
  if (listOf(environment.file_ids).length > 0) return `${name}.file_ids`
  return recordsIn(environment.skills).some(({ skill_id }) => skill_id !== undefined) ? `${name}.skills` : undefined
}

function sentenceAbout({ type }: Fields): string {
  return `${typeof type === 'string' ? `"${textOf(type)}"` : 'This tool'} would use something in the operator's account, which all callers share`
}
