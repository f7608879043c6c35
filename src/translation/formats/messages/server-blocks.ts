import { type AnswerDelta, blocksIn } from '../../wire/answer.ts'
import { isStep } from '../server-step.ts'
import { rawBlocks, StepReader } from '../step-reader.ts'
import { type Block, stepBlocks } from './step-blocks.ts'

/** What the provider of a stream did by itself: its own blocks of this format, or blocks that say the same. */
export class ServerBlocks {
  readonly #steps = new StepReader()
  /** How many blocks of this format came with their chunks. The content at the end repeats them. */
  #ownCount = 0
  #stepCount = 0

  blocksIn(delta: AnswerDelta & { executed_tools?: unknown }): Block[] {
    const isOwn = delta.provider_content?.type === 'anthropic'
    return [...this.#own(delta, isOwn), ...this.#ofOthers(delta, isOwn)]
  }

  /** Steps that got no result. */
  end(): Block[] {
    return this.#toBlocks(this.#steps.end())
  }

  #own(delta: AnswerDelta, isOwn: boolean): Block[] {
    const placed = blocksIn(delta).filter(({ type }) => type === 'anthropic')
    this.#ownCount += placed.length
    const rest = isOwn ? rawBlocks(delta.provider_content).slice(this.#ownCount) : []
    return [...placed, ...rest].map(({ block }) => block as Block)
  }

  #ofOthers(delta: AnswerDelta & { executed_tools?: unknown }, isOwn: boolean): Block[] {
    const placed = blocksIn(delta).filter(({ type }) => type !== 'anthropic')
    const steps = placed.flatMap((block) => this.#steps.add(block))
    const listed = delta.provider_content && !isOwn ? this.#steps.rest(delta.provider_content) : []
    return this.#toBlocks([...steps, ...this.#steps.executed(delta.executed_tools), ...listed])
  }

  #toBlocks(steps: ReturnType<StepReader['rest']>): Block[] {
    return steps.filter(isStep).flatMap((step) => stepBlocks(step, this.#stepCount++))
  }
}
