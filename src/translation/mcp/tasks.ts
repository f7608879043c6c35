import type { RpcError } from './errors.ts'
import type { ToolResult } from './tools.ts'

// The extension for work that outlasts a request (`TASKS_EXTENSION`): a call is answered with the id of a task, which the
// client asks for until it has ended.

type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'

export type Task = {
  taskId: string
  status: TaskStatus
  statusMessage?: string
  /** ISO 8601. */
  createdAt: string
  lastUpdatedAt: string
  /** How long after its creation a task can be asked for; null if there is no limit. */
  ttlMs: number | null
  pollIntervalMs?: number
}

/** A task with what came of it. */
export type DetailedTask = Task & { result?: ToolResult; error?: RpcError }

/** What `resultType` may be. */
export const RESULT_TYPE = { complete: 'complete', inputRequired: 'input_required', task: 'task' } as const
