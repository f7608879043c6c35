import Type from '../../../base/schema/type.ts'
import { askAmazon } from '../vendors/amazon/client.ts'
import { ignoreCode } from '../http/ignore-code.ts'
import { rekognitionImage } from '../vendors/amazon/rekognition.ts'
import { replyReader } from '../http/reply-reader.ts'
import type { Collections } from './collections.ts'

// https://docs.aws.amazon.com/rekognition/latest/dg/collections.html

const THERE_ALREADY = 'ResourceAlreadyExistsException'
const NOT_THERE = 'ResourceNotFoundException'

const readMade = replyReader(Type.Object({ StatusCode: Type.Integer() }))
const readIndexed = replyReader(
  Type.Object({ FaceRecords: Type.Array(Type.Object({ Face: Type.Object({ FaceId: Type.String() }) })) }),
)
const readRemoved = replyReader(Type.Object({ DeletedFaces: Type.Optional(Type.Array(Type.String())) }))

const collections: Collections = {
  async create(tools, id) {
    await ignoreCode(THERE_ALREADY, askAmazon(tools, 'rekognition.CreateCollection', { CollectionId: id }, readMade))
  },
  async remove(tools, id) {
    await ignoreCode(NOT_THERE, askAmazon(tools, 'rekognition.DeleteCollection', { CollectionId: id }, readMade))
  },
  async addItems(tools, id, image) {
    const fields = { CollectionId: id, Image: await rekognitionImage(image), DetectionAttributes: [] }
    const { FaceRecords } = await askAmazon(tools, 'rekognition.IndexFaces', fields, readIndexed)
    return FaceRecords.map(({ Face }) => Face.FaceId)
  },
  async removeItem(tools, id, face) {
    await ignoreCode(
      NOT_THERE,
      askAmazon(tools, 'rekognition.DeleteFaces', { CollectionId: id, FaceIds: [face] }, readRemoved),
    )
  },
}

export default collections
