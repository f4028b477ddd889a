import Foundation
import MulticamControl
import MulticamMedia
import MulticamProfiles
import MulticamSessionFolder
import Testing

@testable import MulticamControlRoom

@Suite("Layouts on the control room's page")
struct LayoutTableTests {
    private static let status = """
        {"arrangement":{"layout":"pip","main":"desk","inset":["face"],"hidden":[],"corner":"top-left","scale":0.25,
        "margin":0.02,"border":0,"fit":"contain","zoom":{},"size":[1920,1080],"rate":30,"layers":[],
        "frames":{"desk":{"width":1920,"height":1080},"face":{"width":720,"height":1280}}}}
        """

    private static func arrangement() throws -> ControlStatus.Arrangement {
        var tracker = StatusTracker()
        _ = tracker.update(status)
        return try #require(tracker.arrangement)
    }

    @Test("the page's script contains each layout with icons for one to nine cameras, inside the icon")
    func script() throws {
        let asset = try #require(PageAsset.at("/page/layout-table.js"))
        #expect(asset.type == "text/javascript; charset=utf-8")
        let text = String(decoding: asset.bytes, as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("export const layouts = ") })
        let json = line.dropFirst("export const layouts = ".count).dropLast()
        let layouts = try JSONDecoder().decode([JSONValue].self, from: Data(json.utf8))
        #expect(layouts.map { $0["name"]?.string } == ProgramLayout.names)
        for (layout, entry) in zip(ProgramLayout.allCases, layouts) {
            for corner in InsetStyle.Corner.allCases {
                let icons = entry["icons"]?[corner.rawValue]?.array ?? []
                let counts = icons.map { $0.array?.count }
                #expect(counts == (1...9).map { min($0, layout.maximumCameras ?? 9) })
                let rectangles = icons.flatMap { $0.array ?? [] }.map {
                    ($0.array ?? []).compactMap(\.integer)
                }
                #expect(
                    rectangles.allSatisfy {
                        $0.count == 4 && $0[2] > 0 && $0[3] > 0 && $0[0] + $0[2] <= 460
                            && $0[1] + $0[3] <= 280
                    })
            }
        }
    }

    @Test("the layers of another arrangement are those that the recorder would show")
    func layers() throws {
        let current = try Self.arrangement()
        let proposed = try #require(
            ProposedLayers(
                ["layout": "pip", "show": "desk,face", "corner": "bottom-right", "scale": "0.1"], in: current)
        )
        let expected = ProgramLayout.pip.rectangles(
            for: [FrameSize(width: 1920, height: 1080), FrameSize(width: 720, height: 1280)],
            in: FrameSize(width: 1920, height: 1080), InsetStyle(scale: 0.1, fit: .contain))
        let layers = try #require(WebJSON.object(WebJSON.text(proposed))?["layers"]?.array)
        #expect(layers.map { $0["role"]?.string } == ["desk", "face"])
        #expect(layers.map { $0["fit"]?.string } == ["contain", "cover"])
        for (layer, rectangle) in zip(layers, expected) {
            let sides = ["x", "y", "width", "height"].map { layer[$0]?.integer }
            #expect(
                sides == [rectangle.x, rectangle.y, rectangle.width, rectangle.height].map { Int64($0) })
        }
    }

    @Test(
        "a request without a layout or cameras, or with unknown ones, has no layers",
        arguments: [
            [:], ["layout": "pip"], ["layout": "circle", "show": "desk"],
            ["layout": "pip", "show": "nobody"],
            ["layout": "pip", "show": "desk", "corner": "middle"],
            ["layout": "pip", "show": "desk", "scale": "7"],
            ["layout": "pip", "show": "desk", "scale": "nan"],
        ])
    func invalid(query: [String: String]) throws {
        let arrangement = try Self.arrangement()
        #expect(ProposedLayers(query, in: arrangement) == nil)
    }
}
