internal import Control
internal import Media
internal import Plan
internal import Session
internal import SessionFolder
internal import Setup

extension LivePublisher {
    /// Carries out `publish`.
    func perform(_ place: ControlCommand.PublishedPlace) -> ControlReply {
        switch place {
        case .standardInput:
            return ControlReply(
                ok: false,
                text:
                    "`publish -` reads an address from the standard input of `multicam ctl`, and none came with it.",
                usage: true)
        case .entry(let name):
            guard let publication = entry(name) else { return unknown(name) }
            return begin(publication)
        case .address(let address):
            return begin(
                Publication(name: freeName(address.kind.rawValue), address: address, start: .command))
        }
    }

    /// Carries out `unpublish`.
    func end(_ name: String) -> ControlReply {
        if unpublish(name) { return ControlReply(ok: true, text: "\(name) is no longer published.") }
        guard names.contains(name) else { return unknown(name) }
        return ControlReply(ok: true, text: "\(name) is not published.")
    }

    private func begin(_ publication: Publication) -> ControlReply {
        let name = publication.name
        do throws(SessionChangeError) {
            try plan(publication)
        } catch {
            return ControlReply(error)
        }
        if publish(publication) {
            return ControlReply(
                ok: true,
                text: "\(name) is published to \(publication.address.printable): `status` tells how it goes.")
        }
        guard let status = status(name) else {
            return ControlReply(ok: false, text: "the session is being ended.")
        }
        let why = status.text.map { ": \($0)" } ?? "."
        return ControlReply(
            ok: true, text: "\(name) is published already, and is \(status.state.rawValue)\(why)")
    }

    /// A name that no live output has: `srt`, `srt-2`.
    private func freeName(_ kind: String) -> String {
        let taken = names.filter { entry($0) != nil || status($0) != nil }
        var (name, number) = (kind, 1)
        while taken.contains(name) {
            number += 1
            name = "\(kind)-\(number)"
        }
        return name
    }

    private func unknown(_ name: String) -> ControlReply {
        let known = names.isEmpty ? "there is none" : "known: \(names.joined(separator: ", "))"
        return ControlReply(
            ok: false, text: "there is no live output \(name.printable(limit: 64)); \(known).", usage: true)
    }
}
