internal import Media

/// The pictures that are answered now, single ones and those that move. Belongs to the thread of the web loop.
final class PictureBoard {
    private var pictures: [PictureAnswer] = []
    /// Called when other pictures are wanted than before.
    var changed: () -> Void = {}

    private static let mostPictures = 64

    /// The streams that the pictures are of.
    var keys: Set<StreamKey> { Set(pictures.map(\.key)) }

    /// Lets a request wait for its picture.
    ///
    /// - Returns: The answer that refuses it; `nil` when it waits.
    func begin(_ request: WebRequest, _ wish: PictureWish, _ headers: [String: String]) -> WebAnswer? {
        guard pictures.count < Self.mostPictures else {
            return WebAnswer(503, saying: "Too many pictures are under way: ask again.")
        }
        pictures.append(PictureAnswer(request, wish.key, isStream: wish.isStream, headers))
        changed()
        return nil
    }

    /// Sends the pieces of a stream to those who wait for them.
    func send(_ pieces: [StreamPiece], of key: StreamKey) {
        for picture in pictures where picture.key == key { for piece in pieces { picture.send(piece.bytes) } }
        removeFinished()
    }

    /// Ends pictures of a camera that sends none: who waits for one may have left, of which a request that waits learns nothing.
    func endLate(at now: ClockTime) {
        for picture in pictures { picture.endIfLate(at: now) }
        removeFinished()
    }

    /// Ends the pictures of streams that are not taken from the recorder, which a sentence explains.
    func end(_ sentence: String, of keys: Set<StreamKey>) {
        for picture in pictures where keys.contains(picture.key) { picture.end(sentence) }
        removeFinished()
    }

    private func removeFinished() {
        let count = pictures.count
        pictures.removeAll(where: \.isFinished)
        if pictures.count != count { changed() }
    }
}
