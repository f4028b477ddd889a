import Foundation

/// The boxes of a file, which are parsed only from their sizes.
struct Boxes {
    struct Box: Equatable {
        let type: String
        /// The range of the whole box in the file.
        let range: Range<Int>
        /// The content without size and type.
        let content: Data
    }

    let boxes: [Box]

    init(_ data: Data) {
        var boxes: [Box] = []
        var place = data.startIndex
        while place + 8 <= data.endIndex {
            var size = data.number(at: place, bytes: 4)
            var head = 8
            if size == 1, place + 16 <= data.endIndex {
                size = data.number(at: place + 8, bytes: 8)
                head = 16
            }
            guard size >= head else { break }
            let end = min(place + size, data.endIndex)
            boxes.append(
                Box(
                    type: String(decoding: data[(place + 4)..<(place + 8)], as: UTF8.self),
                    range: place..<place + size,
                    content: Data(data[min(place + head, end)..<end])))
            place += size
        }
        self.boxes = boxes
    }

    init(file path: String) throws {
        self.init(try Data(contentsOf: URL(filePath: path)))
    }

    var types: [String] { boxes.map(\.type) }

    /// Returns the content of the first box at a path of nested types.
    func content(_ path: String...) -> Data? {
        var boxes = self
        var content: Data?
        for type in path {
            guard let box = boxes.boxes.first(where: { $0.type == type }) else { return nil }
            content = box.content
            // A sample description table starts with 8 bytes before its boxes; the description of a video
            // stream starts with 78.
            boxes = Boxes(
                box.content.dropFirst(type == "stsd" ? 8 : type == "avc1" || type == "jpeg" ? 78 : 0))
        }
        return content
    }
}

extension Data {
    /// Returns a big-endian number.
    func number(at place: Int, bytes: Int) -> Int {
        self[place..<place + bytes].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns a little-endian number.
    func littleNumber(at place: Int, bytes: Int) -> Int {
        self[place..<place + bytes].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
