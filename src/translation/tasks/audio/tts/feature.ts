import Type from '../../../../base/schema/type.ts'
import { optional } from '../../../../base/schema/fields.ts'
import { closedObject } from '../../closed-object.ts'
import { feature } from '../../feature.ts'

const Percent = Type.Integer({ minimum: -100, maximum: 100 })

export default feature({
  feature: 'audio',
  subfeature: 'tts',
  fullname: 'Audio: Text to speech',
  description: 'Converts text to speech.',
  mode: 'sync',
  input: closedObject({
    text: Type.String({ description: 'The text to speak.' }),
    voice: optional(Type.String(), "The provider's name of the voice."),
    speed: optional(Type.Number({ minimum: 0.25, maximum: 4 }), 'Speed, where 1 is normal.'),
    audio_format: optional(Type.String(), 'Format of the recording, such as `mp3` or `wav`.', { default: 'mp3' }),
    speaking_pitch: optional(Percent, 'Pitch: how much higher or lower than normal, in percent.'),
    speaking_volume: optional(Percent, 'Volume: how much louder or softer than normal, in percent.'),
  }),
  output: closedObject({
    audio_resource_url: Type.String({
      description: 'A link to the recording that is valid for seven days by default.',
    }),
  }),
  example: {
    input: { text: 'The train now standing at platform two is the night train to Vienna.', audio_format: 'mp3' },
    output: { audio_resource_url: 'https://gateway.example/files/announcement.mp3' },
  },
  unit: 'character',
  fallbacks: false,
})
