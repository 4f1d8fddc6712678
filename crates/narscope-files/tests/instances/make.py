"""Writes the graphs of this folder with networkx 3.6: `python make.py`."""

import json

import networkx as nx

roads = nx.Graph()
roads.add_nodes_from(["Berlin", "Hamburg", "München", "Island"])
roads.add_edge("Berlin", "Hamburg", weight=289.0)
roads.add_edge("Berlin", "München", weight=585.5)
nx.write_graphml(roads, "roads.graphml")
for key in ["links", "edges"]:
    with open(f"roads-{key}.json", "w") as file:
        json.dump(nx.node_link_data(roads, edges=key), file)

ring = nx.cycle_graph(4)
ring.graph["name"] = "ring"
grid = nx.grid_2d_graph(2, 2, create_using=nx.MultiDiGraph)
grid.graph["name"] = "grid"
with open("several.json", "w") as file:
    json.dump([nx.node_link_data(graph, edges="links") for graph in [ring, grid]], file)
