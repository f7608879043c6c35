import { closedObject } from '../../closed-object.ts'
import { EXAMPLE_PNG } from '../../example-files.ts'
import { feature, fileInput } from '../../feature.ts'
import { base64Field, resourceUrlField } from '../../fields/produced-file.ts'

export default feature({
  feature: 'image',
  subfeature: 'background_removal',
  fullname: 'Image: Background removal',
  description: 'Removes the background of an image and makes it transparent.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({
    image_b64: base64Field('The image without its background.'),
    image_resource_url: resourceUrlField(),
  }),
  example: {
    input: { file: 'https://example.com/chair.jpg' },
    output: { image_b64: EXAMPLE_PNG, image_resource_url: 'https://gateway.example/files/chair.png' },
  },
  unit: 'file',
})
