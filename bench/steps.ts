// Where the CPU of a chat goes, step by step, by the file that is nearest to the top of the stack.
import type { CpuProfile, ProfileNode } from './profile.ts'

/** The steps of a chat in their order. A file belongs to the first step that names it or its folder. */
const STEPS: readonly [step: string, files: RegExp][] = [
  ['log line', /src\/(?:http\/log\/|cli\/log-sink)|node_modules\/(?:pino|sonic-boom)/],
  [
    'ledger line',
    /src\/(?:calls\/(?:close-call|request-detail)|money\/billing\/(?:ledger|journal|in-flight|foreseen|set-aside|unsaved|roll-up)|platform\/store\/)/,
  ],
  ['metrics and spans', /src\/(?:platform\/telemetry|calls\/(?:tracing|attempts\/(?:observ|figures|seen-target)))/],
  ['settle', /src\/(?:calls\/(?:order|spending|upstream\/(?:chat-bill|served-model|abandoned-chat))|money\/billing\/)/],
  ['reserve', /src\/(?:money\/limits\/|calls\/upstream\/bounds\/)/],
  ['authenticate', /src\/(?:http\/(?:auth|guard)|tenants\/)/],
  [
    'validate',
    /src\/(?:contract\/|base\/schema\/(?:validator|field-names)|calls\/upstream\/(?:nested-names|governed))|check_\d/,
  ],
  [
    'parse',
    /src\/(?:http\/read-(?:json|body)|translation\/json\/(?:parse-body|outline|count-keys|nesting|written-numbers))/,
  ],
  [
    'send',
    /src\/(?:calls\/upstream\/(?:send-chat|authorize|native-codec|chat-codec)|translation\/(?:json\/edit-json|dialects\/(?:request\/|[a-z]+\/(?:request|messages|thinking)))|platform\/net\/(?:upstream|http1\/(?:pool|connection|request-text|dialer)))/,
  ],
  [
    'read',
    /src\/(?:calls\/upstream\/(?:ask|read-|first-|stream-)|translation\/(?:dialects|json\/try-parse|wire)|platform\/net\/)/,
  ],
  [
    'present',
    /src\/(?:http\/(?:open-reply|write-json|sse|framed-body|tiny-chunks|common-headers)|endpoints\/chat\/relay|translation\/formats)/,
  ],
  ['plan and attempt', /src\/(?:endpoints\/|calls\/)/],
  ['receive', /src\/|node_modules\//],
]
const COLLECTION = 'garbage collection'
const NODE = 'Node: sockets, HTTP, event loop'

/** In the order of a table: the story of a chat, then what belongs to none of its steps. */
export const STEP_NAMES: readonly string[] = [
  ...[
    'receive',
    'parse',
    'authenticate',
    'validate',
    'plan and attempt',
    'reserve',
    'send',
    'read',
    'settle',
    'present',
  ],
  ...['ledger line', 'log line', 'metrics and spans', COLLECTION, NODE],
]

/** The step of every node of a profile. Functions of Node and V8 belong to the step that has called them. */
export function stepsOfNodes(nodes: CpuProfile['nodes']): Map<number, string> {
  const steps = new Map<number, string>()
  // Parents come before their children in a profile.
  for (const node of nodes) {
    const step = ownStep(node) ?? steps.get(node.id) ?? NODE
    steps.set(node.id, step)
    for (const child of node.children ?? []) steps.set(child, step)
  }
  return steps
}

function ownStep({ callFrame: { functionName, url } }: ProfileNode): string | undefined {
  if (functionName === '(garbage collector)') return COLLECTION
  return STEPS.find(([, files]) => files.test(url) || (url === '' && files.test(functionName)))?.[0]
}
