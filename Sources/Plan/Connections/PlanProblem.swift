public import Media

/// One reason why a plan cannot be run, or a connection cannot be made.
public enum PlanProblem: Error, Sendable, Equatable {
    /// What a connection can carry.
    public enum Attribute: String, Sendable {
        case rotation, mirroring, crop, channels
        /// The connection is not enabled.
        case nothing
    }

    /// The plan has no camera and no microphone.
    case noDevice
    /// A name is no role's, or is reserved.
    case role(String)
    /// Two devices have one role.
    case roleTwice(String)
    /// A role has no opened source.
    case missingSource(role: String)
    /// No device of the plan has the connection's input as its role.
    case noSuchInput(PlannedConnection)
    /// The plan has no such output.
    case noSuchOutput(PlannedConnection)
    /// A microphone is to be connected to an output of frames, or a camera to one of audio.
    case wrongMedium(PlannedConnection)
    /// The plan has a connection between the two already.
    case connectedTwice(PlannedConnection)
    /// The plan has no connection between the two.
    case notConnected(PlannedConnection)
    /// The output has an input already, and can have only one.
    case taken(PlannedConnection, by: String)
    /// Nothing is connected to a track.
    case unconnected(output: String)
    /// A connection of this kind does not carry that.
    case cannotCarry(PlannedConnection, Attribute)
    /// The crop is not within the camera's frame, or not at an even place with even sides.
    case cropOutside(PlannedConnection, FrameSize)
    /// A microphone does not have a channel, counted from 0.
    case noSuchChannel(role: String, channel: Int, of: Int)
    /// Two tracks have one name.
    case outputTwice(String)
    /// A file's path leaves the session folder, or does not end as its kind of file does.
    case file(output: String, path: String, expected: String)
    /// Outputs that cannot share a file have the same one.
    case fileTwice(path: String)
    /// Raw frames are to be copied.
    case rawCopy(output: String, PixelFormat)
    /// A copied track has another size than its camera delivers.
    case sizeOfCopy(output: String, FrameSize, delivered: FrameSize)
    /// The size of encoded frames is not even, or too small.
    case oddSize(output: String, FrameSize)
    /// A movie's audio is to have more than two channels.
    case wideAudio(output: String, channels: Int)
    /// The program shows no camera.
    case emptyProgram
}

extension PlanProblem: CustomStringConvertible {
    /// A sentence for a person: what is wrong, where, and what to do.
    public var description: String {
        switch self {
        case .noDevice: "the plan has no camera and no microphone: add one."
        case .role(let role):
            "“\(role.printable())” is no role: expected 1 to 32 small letters, digits, - and _, beginning with a letter or digit, and "
                + "not “program”."
        case .roleTwice(let role): "two devices have the role “\(role.printable())”: give each its own."
        case .missingSource(let role):
            "no opened camera or microphone was given for the role “\(role.printable())”: hand one to the session."
        case .noSuchInput(let edge):
            "\(edge.output.printable()) is to have “\(edge.input.printable())”, which is no camera or microphone of the plan: add it first."
        case .noSuchOutput(let edge):
            "“\(edge.input.printable())” is to be connected to “\(edge.output.printable())”, which the plan does not have: add that output "
                + "first."
        case .wrongMedium(let edge):
            "“\(edge.input.printable())” cannot be connected to \(edge.output.printable()): cameras go into the program, cameras/… and "
                + "metadata/…, microphones into the program and audio/…."
        case .connectedTwice(let edge):
            "“\(edge.input.printable())” is connected to \(edge.output.printable()) already: change that connection instead."
        case .notConnected(let edge):
            "“\(edge.input.printable())” is not connected to \(edge.output.printable()): connect it first."
        case .taken(let edge, let other):
            "\(edge.output.printable()) has “\(other.printable())” already, and a track has one input: disconnect that, or add another "
                + "track."
        case .unconnected(let output):
            "nothing is connected to \(output.printable()): connect a device to it, or remove it."
        case .cannotCarry(let edge, let attribute): Self.words(edge, attribute)
        case .cropOutside(let edge, let size):
            "the crop of “\(edge.input.printable())” for \(edge.output.printable()) does not lie in its \(size), at an even place and with "
                + "even sides: choose another."
        case .noSuchChannel(let role, let channel, let count):
            "microphone “\(role.printable())” has no channel \(channel): its \(count) channels are counted from 0."
        case .outputTwice(let output):
            "two outputs are called \(output.printable()): give each track its own name."
        case .file(let output, let path, let expected):
            "the file of \(output.printable()), “\(path.printable())”, is not a path within the session folder that ends in \(expected)."
        case .fileTwice(let path):
            "several outputs are to be written to “\(path.printable())”, which only tracks of one movie can share: give each its own file."
        case .rawCopy(let output, let pixel):
            "\(output.printable()) is to copy raw \(pixel.rawValue), which no file holds: choose the mode `encode`, or another pixel format."
        case .sizeOfCopy(let output, let size, let delivered):
            "\(output.printable()) is to copy frames of \(size), and its camera delivers \(delivered): a copy keeps the camera's size."
        case .oddSize(let output, let size):
            "\(output.printable()) is to have frames of \(size): width and height have to be even and at least 2."
        case .wideAudio(let output, let channels):
            "\(output.printable()) has \(channels) channels, and a movie's audio two at most: pick two of them, or write a wave file."
        case .emptyProgram:
            "the program shows no camera: connect one to it that is enabled, or leave the program out."
        }
    }

    private static func words(_ edge: PlannedConnection, _ attribute: Attribute) -> String {
        let (input, output) = (edge.input.printable(), edge.output.printable())
        return switch attribute {
        case .rotation: "“\(input)” is not turned for \(output), which has no frames: leave the rotation out."
        case .mirroring: "“\(input)” is not mirrored for \(output): only the program mirrors frames."
        case .crop:
            "“\(input)” is not cropped for \(output): only the program and encoded tracks show a part of a frame."
        case .channels: "“\(input)” is a camera and has no channels: leave them out."
        case .nothing:
            "\(output) cannot be without what “\(input)” delivers from the beginning: remove the output, or switch the device off while "
                + "it runs."
        }
    }
}
