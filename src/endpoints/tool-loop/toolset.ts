import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { type Fields, listOf } from '../../base/schema/record.ts'
import type { GatewayTool } from './gateway-tool.ts'
import type { TurnChoice, TurnChoices } from './turn-choices.ts'

type ToolsetParts = {
  tools: readonly GatewayTool[]
  /** Lists of tools that the caller is shown. */
  lists?: readonly Fields[]
  choices?: TurnChoices
  maxCalls?: number | undefined
}

/** The tools of the gateway that a model is offered for one answer. */
export class Toolset {
  readonly lists: readonly Fields[]
  readonly declarations: readonly Fields[]
  readonly maxCalls: number | undefined
  readonly choices: TurnChoices
  readonly #tools: ReadonlyMap<string, GatewayTool>

  constructor({ tools, lists = [], choices = {}, maxCalls }: ToolsetParts) {
    this.#tools = new Map(tools.map((tool) => [tool.functionName, tool]))
    this.lists = lists
    this.maxCalls = maxCalls
    this.choices = choices
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
  inNative(native: NativeAsk, choice: TurnChoice | undefined): NativeAsk {
    if (native.format !== 'responses') return native
    const ours = [...this.#tools.values()].map(({ functionName: name, description, parameters }) => {
      return { type: 'function', name, description, parameters, strict: false }
    })
    const { tools, tool_choice: own, ...body } = native.body
    const chosen = choice ? choice.responses : own
    return {
      ...native,
      body: { ...body, tools: [...listOf(tools), ...ours], ...(chosen != null && { tool_choice: chosen }) },
    }
  }
}
