internal import FoundationEssentials
internal import Glibc

/// What other threads tell the thread of the web loop.
enum RoomMessage: Sendable {
    /// The recorder's status, an object of JSON.
    case status(String)
    /// An event of the recorder, an object of JSON.
    case event(String)
    /// The events of the recording so far, each an object of JSON.
    case events([String])
    /// A recorder can be asked now.
    case recorderCame(process: Int32)
    /// The recorder can no longer be asked.
    case recorderLeft(process: Int32)
    /// A stream has pieces to fetch.
    case fresh(StreamKey)
    /// The recorder refuses a stream, for the reason in the sentence.
    case refused(StreamKey, String)
    /// The recorder takes the phone of a name, or does not.
    case phone(name: String, PhoneSource.News)
    /// A request that took long has its answer.
    case answered(ticket: Int, status: Int, json: String)
    /// A request for something of a recording has its answer.
    case made(ticket: Int, WebAnswer)
    /// A request for a file of a recording has it, or the reason why not.
    case opened(ticket: Int, Result<RecordedFile, RecordingRefusal>)
    /// Bytes for the answer of a number, or `nil` when they cannot be read.
    case read(number: Int, Data?)
}
