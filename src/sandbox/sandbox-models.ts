export type SandboxModel = { name: string; description: string }

/** What `sandbox/<name>` offers for chat. Any other name is answered as `echo`. */
export const SANDBOX_MODELS: readonly SandboxModel[] = [
  { name: 'echo', description: 'Simulated: answers with the last user text, or with a fitting tool call or document.' },
  { name: 'fail-429', description: 'Rehearsal: always answers that the rate limit is reached (429, retry after 1 s).' },
  { name: 'fail-500', description: 'Rehearsal: always answers with an internal server error (500).' },
  { name: 'fail-503', description: 'Rehearsal: always answers that it is overloaded (503).' },
  { name: 'refuse', description: 'Rehearsal: refuses every connection.' },
  { name: 'silent', description: 'Rehearsal: accepts the request and never starts to answer.' },
  { name: 'cut', description: 'Rehearsal: the connection dies half way through the answer.' },
  { name: 'stall', description: 'Rehearsal: stops sending half way through the answer and keeps the connection open.' },
  { name: 'garbage', description: 'Rehearsal: answers 200 with something that is not the promised format.' },
  { name: 'context-length', description: 'Rehearsal: refuses every prompt as too long (400).' },
  { name: 'content-filter', description: 'Rehearsal: refuses every prompt as against its content policy (400).' },
]
