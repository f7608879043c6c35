import Type from '../../../schema/type.ts'
import { optional } from '../../../schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Percent = Type.Integer({ minimum: -100, maximum: 100 })

export default feature({
  feature: 'audio',
  subfeature: 'tts',
  fullname: 'Audio: Text to speech',
  description: 'Reads a text aloud.',
  mode: 'sync',
  input: closedObject({
    text: Type.String({ description: 'The text to read.' }),
    voice: optional(Type.String(), "The provider's name of the voice."),
    speed: optional(Type.Number({ minimum: 0.25, maximum: 4 }), 'How fast, where 1 is as usual.'),
    audio_format: optional(Type.String(), 'Format of the recording, such as `mp3` or `wav`.', { default: 'mp3' }),
    speaking_pitch: optional(Percent, 'How much higher or lower than usual, in percent.'),
    speaking_volume: optional(Percent, 'How much louder or softer than usual, in percent.'),
  }),
  output: closedObject({
    audio_resource_url: Type.String({ description: 'A link to the recording that works for seven days.' }),
  }),
  example: {
    input: { text: 'The train now standing at platform two is the night train to Vienna.', audio_format: 'mp3' },
    output: { audio_resource_url: 'https://gateway.example/files/announcement.mp3' },
  },
  unit: 'character',
  fallbacks: false,
})
