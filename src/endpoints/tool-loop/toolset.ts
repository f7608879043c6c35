import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import type { ChatRequest } from '../../contract/chat.ts'
import { type Fields, listOf, recordOf } from '../../base/schema/record.ts'
import type { GatewayTool } from './gateway-tool.ts'

type ToolsetParts = {
  tools: readonly GatewayTool[]
  /** Lists of tools that the caller is shown. */
  lists?: readonly Fields[]
  /** The only tool that the first turn may, and has to, use. */
  forced?: GatewayTool | undefined
  maxCalls?: number | undefined
}

/** The tools of the gateway that a model is offered for one answer. */
export class Toolset {
  readonly lists: readonly Fields[]
  readonly declarations: readonly Fields[]
  readonly maxCalls: number | undefined
  readonly firstChoice: ChatRequest['tool_choice']
  readonly #tools: ReadonlyMap<string, GatewayTool>

  constructor({ tools, lists = [], forced, maxCalls }: ToolsetParts) {
    this.#tools = new Map(tools.map((tool) => [tool.functionName, tool]))
    this.lists = lists
    this.maxCalls = maxCalls
    this.firstChoice = forced && { type: 'function', function: { name: forced.functionName } }
    this.declarations = tools.map(({ functionName: name, description, parameters }) => {
      return { type: 'function', function: { name, description, parameters } }
    })
  }

  has(name: string | undefined): boolean {
    return name !== undefined && this.#tools.has(name)
  }

  find(name: string | undefined): GatewayTool | undefined {
    return name === undefined ? undefined : this.#tools.get(name)
  }

  /** A body of the responses format goes to such an endpoint with the tools in its own form. Without a choice, its own stays. */
  inNative(native: NativeAsk, choice: ChatRequest['tool_choice']): NativeAsk {
    if (native.format !== 'responses') return native
    const ours = [...this.#tools.values()].map(({ functionName: name, description, parameters }) => {
      return { type: 'function', name, description, parameters, strict: false }
    })
    const { tools, tool_choice: own, ...body } = native.body
    const tool_choice =
      choice === this.firstChoice ? { type: 'function', ...recordOf(recordOf(choice).function) } : choice
    const chosen = choice === undefined ? own : tool_choice
    return {
      ...native,
      body: { ...body, tools: [...listOf(tools), ...ours], ...(chosen != null && { tool_choice: chosen }) },
    }
  }
}
