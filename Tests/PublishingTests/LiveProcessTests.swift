import Foundation
import MulticamMedia
import Testing

@testable import MulticamPublishing

@Suite("Commands from the recorder")
struct LiveProcessTests {
    private let reports = ConditionLock<[LiveReport]>([])

    private func process() -> LiveProcess {
        let reports = reports
        return LiveProcess(path: "/nowhere/media") { report in reports.broadcast { $0.append(report) } }
    }

    @Test(
        "an invalid command gets an error message that does not quote it",
        arguments: [
            "", "hello secret", "{}", "[]", "null", #"{"publish":"secret"}"#,
            #"{"publish":{"name":"secret"}}"#,
            #"{"publish":{"name":1,"url":"secret","of":"program","standby":true}}"#, #"{"unpublish":7}"#,
            #"{"publish":{"name":"a","url":"srt://secret:1","of":"program","standby":false,"video":{"width":"secret"}}}"#,
        ])
    func malformed(line: String) {
        let sentence = process().handle(Data(line.utf8))
        #expect(sentence != nil)
        #expect(sentence?.contains("secret") == false)
    }

    @Test("an unusable address is reported as refused once, without its secret")
    func refused() {
        let process = process()
        let line =
            #"{"publish":{"name":"a","url":"srt://host/path?passphrase=secret","of":"program","standby":false}}"#
        #expect(process.handle(Data(line.utf8)) == nil)
        #expect(process.handle(Data(line.utf8)) == nil)
        process.close()
        let reports = reports.withLock { $0 }
        #expect(reports.map(\.state) == [.refused, .ended])
        #expect(reports.first?.text?.contains("secret") == false)
    }

    @Test("a stopped live output reports its end; an unknown name is ignored")
    func ended() {
        let process = process()
        let line = #"{"publish":{"name":"a","url":"srt://127.0.0.1:9","of":"program","standby":false}}"#
        #expect(process.handle(Data(line.utf8)) == nil)
        #expect(process.handle(Data(#"{"unpublish":"b"}"#.utf8)) == nil)
        #expect(process.handle(Data(#"{"unpublish":"a"}"#.utf8)) == nil)
        process.close()
        let states = reports.withLock { $0.map(\.state) }
        #expect(states.first == .connecting)
        #expect(states.last == .ended)
        #expect(states.count { $0 == .ended } == 1)
    }
}
