import type { FairSemaphore } from '../base/fairness/fair-semaphore.ts'
import type { AgentTelemetry } from '../calls/agent-telemetry.ts'
import type { OfferedTool } from '../endpoints/mcp/offered-tool.ts'
import type { TrustedProxies } from '../platform/net/addresses/client-address.ts'

/** What the listeners themselves need. */
export type EdgeServices = {
  /** A unique id that is not secret. It is cheap, because every request gets one. */
  newRequestId(): string
  /** A comment is sent on a stream that has been silent for this long. */
  heartbeatMs: number
  /** After an error inside of a chat stream, the client has this long to close. Then its body is cut off. */
  cutAfterMs: number
  proxies: TrustedProxies
  /** Where coding agents may send what they measure. */
  agentTelemetry: AgentTelemetry | undefined
  /** Management keys that are looked up now: a flood of invented ones leaves the store to others. */
  managementLookups: FairSemaphore
  /** Tools beside those of the gateway. The conformance suite of the protocol asks for some that do nothing useful. */
  moreTools: readonly OfferedTool[]
}
