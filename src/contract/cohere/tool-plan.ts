// Cohere writes a plan before it calls tools. In a chat, the plan is reasoning. Clients of Cohere get it as a plan again, so
// a symbol says where it begins.

const PLAN = Symbol('the plan that leads to calls')

type Planned = { [PLAN]?: number }

/** Marks the reasoning of a message, or of a piece of one, from this character on as a plan. */
export function markPlan<Message extends object>(message: Message, start = 0): Message {
  return Object.assign(message, { [PLAN]: start })
}

/** The reasoning, and the plan after it. */
export function splitPlan(message: object & { reasoning_content?: string | null }): {
  reasoning: string
  plan: string
} {
  const all = message.reasoning_content ?? ''
  const start = (message as Planned)[PLAN] ?? all.length
  return { reasoning: all.slice(0, start), plan: all.slice(start) }
}
