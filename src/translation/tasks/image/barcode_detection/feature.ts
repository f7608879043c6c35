import Type from '../../../../base/schema/type.ts'
import { extentFields } from '../../fields/bounding-box.ts'
import { closedObject } from '../../closed-object.ts'
import { feature, fileInput } from '../../feature.ts'

const Barcode = closedObject({
  value: Type.String({ description: 'Content of the code.' }),
  format: Type.String({ description: 'The kind of code, such as `QRCode` or `EAN13`.' }),
  ...extentFields,
})

export default feature({
  feature: 'image',
  subfeature: 'barcode_detection',
  fullname: 'Image: Barcode detection',
  description: 'Finds and reads the bar codes and QR codes in an image.',
  mode: 'sync',
  input: closedObject({ file: fileInput('The image.') }),
  output: closedObject({ items: Type.Array(Barcode, { description: 'The codes in the image.' }) }),
  example: {
    input: { file: 'https://example.com/parcel.jpg' },
    output: {
      items: [{ value: '4006381333931', format: 'EAN13', x_min: 0.1, x_max: 0.42, y_min: 0.6, y_max: 0.75 }],
    },
  },
  unit: 'file',
})
