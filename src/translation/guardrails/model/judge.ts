import Type from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { modelCheck } from '../check.ts'
import { reasonCode } from '../fields.ts'
import { askJudge, judgeParams } from './ask-judge.ts'

export default modelCheck({
  description:
    'Lets a chat model decide by rules in your own words. Its requests are parts of the call that it judges, which pays for them.',
  params: closedParams({
    ...judgeParams,
    instructions: Type.String({
      minLength: 1,
      maxLength: 20_000,
      description: 'The rules, in any language: what is not allowed, and what is.',
    }),
    reasons: optional(
      Type.Array(reasonCode, { minItems: 1, maxItems: 50 }),
      'The codes that the model may give as a reason, such as `legal_advice`. They are shown in the metadata of answers.',
    ),
  }),
  maxChars: 30_000,
  run: (texts, params, tools) =>
    askJudge(texts, { instructions: params.instructions, reasons: params.reasons ?? [] }, params, tools),
})
