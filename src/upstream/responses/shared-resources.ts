import { cannotTake } from '../../dialects/cannot-take.ts'
import { type Fields, listOf, recordOf, recordsIn, textOf } from '../../schema/record.ts'
import type { NativeCall } from '../native-codec.ts'

// Vector stores, files and containers of a provider are in the operator's account, which all callers share, and nothing says
// whose they are. So a caller cannot name one.

/** Throws if a tool of the caller names something in the operator's account. */
export function refuseSharedResources({ request, native }: NativeCall): void {
  const lists = [native ? native.body.tools : request.tools, request.extra_body?.tools]
  for (const tools of lists)
    for (const [index, tool] of recordsIn(tools).entries()) {
      const member = namedIn(tool)
      if (member) throw cannotTake(['tools', index, ...member.split('.')], sentenceAbout(tool))
    }
}

/** The member that names something. `container: {"type": "auto"}` makes a container for this call. */
function namedIn({ type, vector_store_ids: stores, container, environment }: Fields): string | undefined {
  if (type === 'file_search' && listOf(stores).length > 0) return 'vector_store_ids'
  if (type === 'code_interpreter' && typeof container === 'string') return 'container'
  if (type === 'code_interpreter' && listOf(recordOf(container).file_ids).length > 0) return 'container.file_ids'
  if (type === 'shell' && recordOf(environment).container_id !== undefined) return 'environment.container_id'
  return type === 'shell' && listOf(recordOf(environment).file_ids).length > 0 ? 'environment.file_ids' : undefined
}

function sentenceAbout({ type }: Fields): string {
  return `"${textOf(type)}" would use something in the operator's account, which all callers share`
}
