import { openOrder } from '../../calls/attempts/attempt.ts'
import type { Order } from '../../calls/order.ts'
import { SniffedBody } from '../../platform/net/sniffed-body.ts'
import type { ImageEvent, ImageEventCodec } from '../../translation/dialects/image-codec.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireResponse } from '../../translation/wire/wire.ts'
import { billOfImages } from './cost.ts'
import { ImageEvents } from './image-events.ts'
import { likelyImageBill } from './image-worst-case.ts'
import { boundedAnswer, exchange, type ImageAttempt, type ImageOrder, type Ordered, readStep } from './order.ts'

const OPENING_BRACE = 0x7b
const NOT_BEGUN = 'the provider ended its stream before it began'
const NOT_WHOLE = 'the provider answered a stream with something that is not an image'

/** A streamed image whose first event has arrived, so that the target has really answered. */
export type BegunImage = { order: Order; first: ImageEvent; rest: ImageEvents }

/** Asks for events. Undefined if the provider has answered in one piece all the same: then the order has what was made. */
export async function beginImage(
  one: ImageOrder,
  ordered: Ordered,
  attempt: ImageAttempt,
  codec: ImageEventCodec,
): Promise<BegunImage | undefined> {
  const { input, target, tempFiles } = ordered
  const { credential, call, services } = attempt
  const order = openOrder(attempt, () => likelyImageBill(input, one.inputs, target.entry))
  let rest: ImageEvents | undefined
  try {
    const answer = await exchange(one.wire, target, { credential, call, services, report: order.report })
    const response = { ...answer, body: boundedAnswer(answer.body, Number(answer.headers['content-length'])) }
    const sniffed = new SniffedBody(response.body, () => undefined)
    if (isImage(response) || (await sniffed.firstByte()) === OPENING_BRACE) {
      const step = await readStep({ ...response, body: sniffed.replay() }, one.wire, ordered, { call, services })
      if (!step.done) throw new UpstreamProblem('garbage', NOT_WHOLE)
      one.made = step.result
      order.delivered(billOfImages(step.result, input, target.entry))
      return undefined
    }
    rest = new ImageEvents(sniffed.replay(), { codec, tempFiles }, call, services)
    const first = await rest.next()
    if (!first) throw new UpstreamProblem('empty', NOT_BEGUN)
    return { order, first, rest }
  } catch (error) {
    rest?.close()
    order.failed(error)
    throw error
  }
}

function isImage({ headers }: WireResponse): boolean {
  return /^\s*image\//i.test(String(headers['content-type'] ?? ''))
}
