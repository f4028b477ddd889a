/// Why what a request asks of a recording is not answered.
struct RecordingRefusal: Error, Equatable {
    /// HTTP's status: 400, 404, 409 or 416.
    let status: Int
    /// A sentence for people.
    let text: String

    /// The name of the recording is none in the output folder.
    static let noFolder = RecordingRefusal(status: 404, text: "No recording of that name is there.")
}
