/// How a network camera goes, as the process tells that connects to it: a line of JSON at each change, and once a second.
public struct SourceReport: Sendable, Equatable, Codable {
    /// What a network camera does.
    public enum State: String, Sendable, Codable {
        /// It is being connected to.
        case connecting
        /// A person has to do something first, which the text says.
        case asking
        /// It delivers.
        case connected
        /// The connection is lost or was not made; it is tried again.
        case waiting
        /// A password, path or format is wrong; it is tried again more rarely.
        case refused
        /// A person has ended it, or not allowed it: it is not tried again before it is wanted anew.
        case ended
    }

    /// The name of the request.
    public var source: String
    /// What it does.
    public var state: State
    /// Why, or while it delivers what a person is to know of that, as one sentence without secrets; `nil` where there is nothing to say.
    public var text: String?

    /// Makes a report; each parameter sets the property of its name.
    public init(source: String, state: State, text: String? = nil) {
        (self.source, self.state, self.text) = (source, state, text)
    }
}
