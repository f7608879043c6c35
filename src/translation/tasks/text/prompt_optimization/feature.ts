import Type from '../../../../base/schema/type.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Prompt = closedObject({ text: Type.String({ description: 'A better prompt.' }) })

export default feature({
  feature: 'text',
  subfeature: 'prompt_optimization',
  fullname: 'Text: Prompt optimization',
  description: 'Rewrites a prompt so that a model understands it better.',
  mode: 'sync',
  input: closedObject({
    text: Type.String({ description: 'The prompt to improve.' }),
    target_provider: Type.String({ description: 'Provider of the model that will read it.' }),
  }),
  output: closedObject({
    missing_information: Type.String({ description: 'What the prompt does not say and should.' }),
    items: Type.Array(Prompt, { description: 'Better prompts.' }),
  }),
  example: {
    input: { text: 'Write about bees', target_provider: 'openai' },
    output: {
      missing_information: 'Who will read it, and how long it shall be.',
      items: [{ text: 'Write a text of 200 words for children of ten about how bees make honey.' }],
    },
  },
  unit: 'token',
})
